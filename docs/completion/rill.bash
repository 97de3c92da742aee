# Completion of rill for bash: source it, or put it where bash-completion looks (share/bash-completion/completions/rill).
_rill()
{
    local word=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]}
    local compile="-D -I --contract=off --check=bounds --check=races --fast-math --target --help"
    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
        COMPREPLY=($(compgen -W "run check explain emit build trace devices cache doctor selftest demo --help --version" -- "$word"))
        return
    fi
    case $command in
        run) compile="$compile --set --in --out --device --trace --repeat --json" ;;
        check) compile="$compile --json --strict" ;;
        emit) compile="$compile --ir --plan --llvm --asm --openmp --ptx --amdgcn --after" ;;
        explain) compile="$compile --set --device" ;;
        build) compile="$compile -o --prefix --include --depfile --no-source" ;;
        devices) compile="--all --help" ;;
        cache) compile="list stats verify clear --folder --remove --help" ;;
        doctor) compile="--quick --device --help" ;;
        selftest) compile="--device --jobs --time --report --help" ;;
        trace) compile="--svg --width --tasks --help" ;;
        *) compile=--help ;;
    esac
    case ${COMP_WORDS[COMP_CWORD - 1]} in
        --device)
            COMPREPLY=($(compgen -W "auto $("${COMP_WORDS[0]}" devices 2>/dev/null | sed 's/ .*//')" -- "$word"))
            return
            ;;
        --after)
            COMPREPLY=($(compgen -W "list $("${COMP_WORDS[0]}" emit --ir --after=list 2>/dev/null | sed 's/^ *//; s/ .*//')" \
                -- "$word"))
            return
            ;;
        --target)
            COMPREPLY=($(compgen -W "$([ "$command" = build ] && echo portable cpu) native x86-64 x86-64-v2 x86-64-v3 x86-64-v4 sm_70 sm_80 sm_90 gfx90a gfx942 gfx1100" \
                -- "$word"))
            return
            ;;
    esac
    case $word in
        -*) COMPREPLY=($(compgen -W "$compile" -- "$word")) ;;
        *)
            compopt -o filenames 2>/dev/null
            if [ "$command" = run ] && [ -f "${COMP_WORDS[2]}" ] && [ "$COMP_CWORD" -eq 3 ]; then
                # The kernels of the file that is already named.
                COMPREPLY=($(compgen -W "$(grep -oE '\bkernel +[A-Za-z_][A-Za-z_0-9 ]* +[A-Za-z_][A-Za-z_0-9]* *\(' \
                    "${COMP_WORDS[2]}" | grep -oE '[A-Za-z_][A-Za-z_0-9]* *\($' | tr -d ' (')" -- "$word"))
            else
                local kind='!*.[ch]'
                [ "$command" = trace ] && kind='!*.json'
                mapfile -t COMPREPLY < <(compgen -f -X "$kind" -- "$word"; compgen -d -- "$word") # names may have spaces
            fi
            ;;
    esac
}
complete -F _rill rill
