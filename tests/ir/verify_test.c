// Each rule of the verifier has a module here that breaks it.
#include "support.h"

// ---- modules as text -----------------------------------------------------------------------------------------------

#define HEAD "rill-ir 1\n"
#define PARAMS "  param 0 \"n\" i32\n  param 1 \"p\" ptr array\n"
#define VARS                                                                                                           \
    "  var 0 \"i\" i32\n  var 1 \"x\" f32\n  var 2 \"m\" memory size 8 align 8\n  var 3 \"b\" i1\n  var 4 \"w\" i64\n"
#define VALUES                                                                                                         \
    "%0 = param i32 0\n%1 = param ptr 1\n%2 = const i64 3\n%3 = fconst f32 0x1p+0\n%4 = const i1 1\n"                  \
    "%5 = fconst f64 0x1p+0\n%6 = const i8 1\n"
// A kernel of these lines behind some values to use: %0 i32, %1 ptr, %2 i64, %3 f32, %4 i1, %5 f64, %6 i8.
#define KERNEL(lines) HEAD "kernel 0 \"k\" returns i32\n" PARAMS VARS "  body {\n" VALUES lines "\n  }\nend\n"
#define EMPTY_KERNEL "kernel 0 \"k\" returns void\n" PARAMS "  body {\n  }\nend\n"
#define TASK(flags, tables, prologue, body)                                                                            \
    HEAD EMPTY_KERNEL "task 1 \"t\" returns void" flags " of @k#0\n" tables "  prologue {\n" prologue                  \
                      "\n  }\n  body {\n" body "\n  }\nend\n"
#define FINISH(body) HEAD EMPTY_KERNEL "finish 1 \"t\" returns void of @k#0\n  body {\n" body "\n  }\nend\n"
#define HELPER(body) HEAD "helper 0 \"h\" returns i32\n  param 0 \"x\" i32\n  body {\n" body "\n  }\nend\n"

struct row {
    const char *text;
    const char *expected; // part of what is said; "" if the module is good
};

static void check_rows(const struct row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct fixture f;
        fixture_init(&f);
        struct diags diags;
        diags_init(&diags, &f.arena);
        f.module = ir_read(&f.arena, &diags, rows[i].text);
        if (f.module == NULL) {
            struct str rendered;
            str_init(&rendered, &f.arena);
            diags_render_all(&diags, false, &rendered);
            FAIL("row %zu does not read:\n%s", i, str_text(&rendered));
        } else {
            const char *said = fixture_verify(&f);
            bool is_right = rows[i].expected[0] == '\0' ? said[0] == '\0' : strstr(said, rows[i].expected) != NULL;
            if (!is_right) {
                FAIL("row %zu: \"%s\", expected \"%s\"", i, said, rows[i].expected);
            }
        }
        fixture_finish(&f);
    }
}

#define CHECK_ROWS(rows) check_rows((rows), sizeof(rows) / sizeof *(rows))

TEST(good_modules_pass)
{
    static const struct row rows[] = {
        {KERNEL("return %0"), ""},
        {KERNEL("store f32 %1 %3\n%7 = load f32 %1\nset f32 $x#1 %7"), ""},
        {KERNEL("%7 = and i1 %4 %4\n%8 = eq i1 %7 %4\nset i1 $b#3 %8\nvupdate i1 $b#3 or %4"), ""},
        {KERNEL("update i32 land %1 %4\nupdate f32 fmin_if %1 %3\n%7 = atomic i32 exchange %1 %0"), ""},
        {KERNEL("if L0 %4 {\n%7 = add i32 %0 %0\nreturn %7\n}"), ""},
        {KERNEL("for L0 $i#0 ne %0 %0 step -1 {\n}\nfor L1 $w#4 ult %2 %2 step 9223372036854775807 {\n}"), ""},
        {TASK("", "", "%0 = param i32 0", "%1 = iter i64\n%2 = iter_count i64\n%3 = add i32 %0 %0"), ""},
        {FINISH("%0 = partials ptr\n%1 = iter_count i64\n%2 = addr_slot ptr 8"), ""},
        {HELPER("%0 = param i32 0\nreturn %0"), ""},
    };
    CHECK_ROWS(rows);
}

TEST(the_sentence_names_function_value_and_line)
{
    static const struct row rows[] = {
        {KERNEL("%7 = add i32 %0 %2"), "function 'k': %7 (add): operand 1 has type i64, must have i32\n"},
        {KERNEL("store i32 %1 %2 !0:12:4"), "function 'k': store at line 12: operand 1 has type i64, must have i32\n"},
    };
    CHECK_ROWS(rows);
}

TEST(operands_are_counted)
{
    static const struct row rows[] = {
        {KERNEL("%7 = add i32 %0"), "has 1 operands, must have 2"},
        {KERNEL("%7 = const i32 1 %0"), "has 1 operands, must have 0"},
        {KERNEL("%7 = select i32 %4 %0"), "has 2 operands, must have 3"},
        {KERNEL("%7 = math f32 pow %3"), "pow has 1 operands, must have 2"},
        {KERNEL("%7 = index ptr %1 %2 %2"), "has 3 operands, must have 4"},
        {KERNEL("for L0 $i#0 slt %0 step 1 {\n}"), "has 1 operands, must have 2"},
        {KERNEL("return"), "has 0 operands where the function returns i32"},
        {HEAD "kernel 0 \"k\" returns void\n  body {\n%0 = const i32 1\nreturn %0\n  }\nend\n",
         "has 1 operands where the function returns void"},
    };
    CHECK_ROWS(rows);
}

TEST(values_are_used_only_where_they_are_in_scope)
{
    static const struct row rows[] = {
        {KERNEL("if L0 %4 {\n%7 = const i32 1\n} {\n%8 = add i32 %7 %7\n}"), "operand 0, %7, is not in scope"},
        {KERNEL("block L0 {\n%7 = const i32 1\n}\nreturn %7"), "operand 0, %7, is not in scope"},
        {KERNEL("cfg L0 {\n%7 = const i32 1\njump 1 of L0\n} {\nreturn %7\n}"), "operand 0, %7, is not in scope"},
        {KERNEL("block L0 {\nloop L1 {\n%7 = const i32 1\nbreak of L1\n}\nset i32 $i#0 %7\n}"),
         "operand 0, %7, is not in scope"},
    };
    CHECK_ROWS(rows);
}

TEST(constants_fit_their_type)
{
    static const struct row rows[] = {
        {KERNEL("%7 = const i8 200"), "200 is not sign-extended from i8"},
        {KERNEL("%7 = const i1 -1"), "-1 is not sign-extended from i1"},
        {KERNEL("%7 = const f32 1"), "must be an integer or a null ptr"},
        {KERNEL("%7 = const ptr 1"), "must be an integer or a null ptr"},
        {KERNEL("%7 = fconst i32 0x1p+0"), "has type i32, must have f32 or f64"},
        {KERNEL("%7 = fconst f32 0x1.00000001p+0"), "is no f32"},
    };
    CHECK_ROWS(rows);
}

TEST(parameters_exist_and_have_their_type)
{
    static const struct row rows[] = {
        {KERNEL("%7 = param i32 2"), "there is no parameter 2"},
        {KERNEL("%7 = param i32 -1"), "there is no parameter -1"},
        {KERNEL("%7 = param i64 0"), "has type i64, must have i32"},
        {TASK("", "", "%0 = param f32 0", ""), "has type f32, must have i32"},
    };
    CHECK_ROWS(rows);
}

TEST(variables_are_used_as_what_they_are)
{
    static const struct row rows[] = {
        {KERNEL("%7 = get i32 $m#2"), "variable 'm' is memory"},
        {KERNEL("%7 = addr_var ptr $i#0"), "variable 'i' is a scalar"},
        {KERNEL("%7 = get i64 $i#0"), "has type i64, must have i32"},
        {KERNEL("set i32 $i#0 %2"), "operand 0 has type i64, must have i32"},
        {KERNEL("set i32 %0"), "its variable is none of this function's"},
        {KERNEL("%7 = addr_var i64 $m#2"), "has type i64, must have ptr"},
        {KERNEL("vupdate i32 $m#2 add %0"), "variable 'm' is memory"},
    };
    CHECK_ROWS(rows);
}

TEST(arithmetic_is_done_in_types_that_have_it)
{
    static const struct row rows[] = {
        {KERNEL("%7 = add f32 %3 %3"), "is not defined for f32"},
        {KERNEL("%7 = add i1 %4 %4"), "is not defined for i1"},
        {KERNEL("%7 = mul ptr %1 %1"), "is not defined for ptr"},
        {KERNEL("%7 = shl i32 %0 %2"), "operand 1 has type i64, must have i32"},
        {KERNEL("%7 = fadd i32 %0 %0"), "is not defined for i32"},
        {KERNEL("%7 = fma f64 %5 %5 %3"), "operand 2 has type f32, must have f64"},
        {KERNEL("%7 = fneg f32 %5"), "operand 0 has type f64, must have f32"},
        {KERNEL("%7 = and i32 %0 %0 no_wrap"), "only add, sub, mul and trunc can be no_wrap"},
    };
    CHECK_ROWS(rows);
}

TEST(comparisons_compare_one_type_and_give_i1)
{
    static const struct row rows[] = {
        {KERNEL("%7 = slt i32 %0 %0"), "has type i32, must have i1"},
        {KERNEL("%7 = slt i1 %0 %2"), "operand 1 has type i64, must have i32"},
        {KERNEL("%7 = slt i1 %3 %3"), "does not compare f32"},
        {KERNEL("%7 = flt i1 %0 %0"), "does not compare i32"},
        {KERNEL("%7 = ult i1 %4 %4"), "does not compare i1"},
        {KERNEL("%7 = slt i1 %1 %1"), "does not compare ptr"},
        {KERNEL("%7 = ult i1 %1 %1"), ""},
    };
    CHECK_ROWS(rows);
}

TEST(conversions_convert_between_their_types)
{
    static const struct row rows[] = {
        {KERNEL("%7 = sext i32 %2"), "does not convert i64 to i32"},
        {KERNEL("%7 = sext i32 %4"), "does not convert i1 to i32"},
        {KERNEL("%7 = zext i8 %4"), ""},
        {KERNEL("%7 = zext i32 %0"), "does not convert i32 to i32"},
        {KERNEL("%7 = trunc i64 %0"), "does not convert i32 to i64"},
        {KERNEL("%7 = sitofp f32 %4"), "does not convert i1 to f32"},
        {KERNEL("%7 = uitofp f32 %4"), ""},
        {KERNEL("%7 = fptosi i1 %3"), "does not convert f32 to i1"},
        {KERNEL("%7 = fpext f32 %3"), "does not convert f32 to f32"},
        {KERNEL("%7 = fptrunc f64 %3"), "does not convert f32 to f64"},
        {KERNEL("%7 = bitcast f64 %0"), "does not convert i32 to f64"},
        {KERNEL("%7 = ptrtoint i32 %1"), "does not convert ptr to i32"},
        {KERNEL("%7 = inttoptr ptr %0"), "does not convert i32 to ptr"},
        {KERNEL("%7 = select i32 %0 %0 %0"), "operand 0 has type i32, must have i1"},
        {KERNEL("%7 = select f32 %4 %3 %5"), "operand 2 has type f64, must have f32"},
    };
    CHECK_ROWS(rows);
}

TEST(math_functions_have_their_operands)
{
    static const struct row rows[] = {
        {KERNEL("%7 = math f32 sin %0"), "sin is not defined for i32"},
        {KERNEL("%7 = math f64 sin %3"), "has type f64, must have f32"},
        {KERNEL("%7 = math f32 ilogb %3"), "has type f32, must have i32"},
        {KERNEL("%7 = math f32 ldexp %3 %3"), "operand 1 has type f32, must have i32"},
        {KERNEL("%7 = math f32 pow %3 %5"), "operand 1 has type f64, must have f32"},
        {KERNEL("%7 = math i32 remquo_bits %3 %3"), ""},
    };
    CHECK_ROWS(rows);
}

TEST(memory_is_reached_through_addresses)
{
    static const struct row rows[] = {
        {KERNEL("%7 = load i32 %2"), "operand 0 has type i64, must have ptr"},
        {KERNEL("%7 = load %1"), "has no type"},
        {KERNEL("store i32 %0 %0"), "operand 0 has type i32, must have ptr"},
        {KERNEL("store f64 %1 %3"), "operand 1 has type f32, must have f64"},
        {KERNEL("%7 = index i64 %1 %2 %2 %2"), "has type i64, must have ptr"},
        {KERNEL("%7 = index ptr %1 %0 %2 %2"), "operand 1 has type i32, must have i64"},
        {KERNEL("%7 = index ptr %1 %2 %2 %0"), "operand 3 has type i32, must have i64"},
        {KERNEL("%7 = offset ptr 4 %2"), "operand 0 has type i64, must have ptr"},
        {KERNEL("copy %1 %1 %0"), "operand 2 has type i32, must have i64"},
        {KERNEL("copy %1 %2 %2"), "operand 1 has type i64, must have ptr"},
        {KERNEL("fill %1 %0 %2"), "operand 1 has type i32, must have i8"},
        {KERNEL("%7 = compare i64 %1 %1 %2"), "has type i64, must have i32"},
        {KERNEL("%7 = cas i32 %1 %0 %2"), "operand 2 has type i64, must have i32"},
    };
    CHECK_ROWS(rows);
}

TEST(updates_are_defined_for_their_type)
{
    static const struct row rows[] = {
        {KERNEL("update i32 %1 %0"), "its update is none"},
        {KERNEL("update i32 exchange %1 %0"), "its update is exchange"},
        {KERNEL("vupdate i32 $i#0 exchange %0"), "its update is exchange"},
        {KERNEL("update f32 and %1 %3"), "update and is not defined for f32"},
        {KERNEL("update f32 smin %1 %3"), "update smin is not defined for f32"},
        {KERNEL("update i32 fmin %1 %0"), "update fmin is not defined for i32"},
        {KERNEL("update i32 add %1 %2"), "operand 1 has type i64, must have i32"},
        {KERNEL("update i32 lor %1 %0"), "operand 1 has type i32, must have i1"},
        {KERNEL("vupdate i1 $b#3 add %4"), "update add is not defined for i1"},
        {KERNEL("%7 = fmul f32 %3 %3\nvupdate f32 $x#1 add %7 fused\nupdate f32 sub %1 %7 fused"), ""},
        {KERNEL("vupdate f32 $x#1 add %3 fused"), "only an add or sub update by an fmul of its type can be fused"},
        {KERNEL("%7 = fmul f32 %3 %3\nvupdate f32 $x#1 mul %7 fused"),
         "only an add or sub update by an fmul of its type can be fused"},
        {KERNEL("%7 = fmul f32 %3 %3\nstore f32 %1 %7 fused"),
         "only an add or sub update by an fmul of its type can be fused"},
    };
    CHECK_ROWS(rows);
}

TEST(tasks_and_finishes_have_what_only_they_have)
{
    static const struct row rows[] = {
        {KERNEL("%7 = iter i64"), "belongs in a task only"},
        {KERNEL("%7 = iter_count i64"), "belongs in a task or finish only"},
        {KERNEL("%7 = addr_slot ptr 0"), "belongs in a task or finish only"},
        {KERNEL("%7 = partials ptr"), "belongs in a finish only"},
        {HELPER("%0 = iter i64"), "belongs in a task only"},
        {FINISH("%0 = iter i64"), "belongs in a task only"},
        {TASK("", "", "", "%0 = partials ptr"), "belongs in a finish only"},
        {TASK("", "", "%0 = iter i64", ""), "there is no iteration in a prologue"},
        {TASK("", "", "", "%0 = iter i32"), "has type i32, must have i64"},
        {TASK("", "", "%0 = const i64 3", "%1 = nest_iter i64 1 %0\n%2 = nest_iter i64 0 %0"), ""},
        {TASK("", "", "%0 = const i64 3", "%1 = nest_iter i64 2 %0"), "there is no loop 2 in a nest of 2"},
        {TASK("", "", "", "%0 = const i64 3\n%1 = nest_iter i64 1 %0"), "is no value of the prologue"},
        {TASK("", "", "%0 = const i64 3\n%1 = nest_iter i64 1 %0", ""), "belongs at the top of a task's body only"},
        {TASK("", "", "%0 = const i64 3", "%1 = nest_iter i32 1 %0"), "has type i32, must have i64"},
        {TASK("", "", "", "%0 = addr_slot ptr -8"), "byte -8 of the launch block does not exist"},
        {TASK("", "", "", "return"), "there is nothing to return from in a task or finish"},
        {TASK("", "", "", "blocks L0 {\n}"), "stands outside a kernel"},
        {TASK(" serial independent", "", "", ""), "is serial and assumes independent iterations"},
        {HEAD "task 0 \"t\" returns void\n  body {\n  }\nend\n", "is a piece of no kernel of this module"},
        {HEAD "task 0 \"t\" returns void of @t#0\n  body {\n  }\nend\n", "is a piece of no kernel of this module"},
        {HEAD EMPTY_KERNEL "task 1 \"t\" returns i32 of @k#0\n  body {\n  }\nend\n",
         "a task or finish has neither parameters nor a result"},
        {HEAD "kernel 0 \"k\" returns void\n  prologue {\n%0 = const i32 1\n  }\n  body {\n  }\nend\n",
         "has a prologue and is no task or finish"},
        {FINISH("barrier"), "stands outside a kernel or task"},
    };
    CHECK_ROWS(rows);
}

TEST(accumulators_fit_variable_constant_and_record)
{
#define VAR "  var 0 \"s\" f32\n"
    static const struct row rows[] = {
        {TASK(" partial 8", VAR "  accumulator $s#0 offset 4 fconst f32 0x0p+0\n", "", ""), ""},
        {TASK(" partial 8", VAR "  accumulator $s#0 offset 8 fconst f32 0x0p+0\n", "", ""),
         "accumulator 's' does not fit the partial record"},
        {TASK(" partial 8", VAR "  accumulator $s#0 offset 2 fconst f32 0x0p+0\n", "", ""),
         "accumulator 's' does not fit the partial record"},
        {TASK("", VAR "  accumulator $s#0 offset 0 fconst f32 0x0p+0\n", "", ""),
         "accumulator 's' does not fit the partial record"},
        {TASK(" partial 8", VAR "  accumulator $s#0 offset 0 const i32 0\n", "", ""),
         "accumulator 's' does not start with a constant of its type"},
        {TASK(" partial 8", VAR "  accumulator $s#0 offset 0\n", "", ""),
         "accumulator 's' does not start with a constant of its type"},
        {TASK(" partial 8", "  var 0 \"m\" memory size 8 align 8\n  accumulator $m#0 offset 0 const i32 0\n", "", ""),
         "accumulator 0 is no scalar of this function"},
        {HEAD "kernel 0 \"k\" returns void partial 8\n" VAR
              "  accumulator $s#0 offset 0 fconst f32 0x0p+0\n  body {\n  }\nend\n",
         "has accumulators and is no task"},
    };
    CHECK_ROWS(rows);
#undef VAR
}

TEST(calls_reach_helpers_with_their_arguments)
{
#define CALLER(line) HELPER("%0 = param i32 0\nreturn %0") "kernel 1 \"k\" returns void\n  body {\n" line "\n  }\nend\n"
    static const struct row rows[] = {
        {CALLER("%0 = const i32 1\n%1 = call i32 @h#0 %0"), ""},
        {CALLER("%0 = const i32 1\n%1 = call i64 @h#0 %0"), "has type i64, must have i32"},
        {CALLER("%1 = call i32 @h#0"), "gives 'h' 0 arguments, it has 1 parameters"},
        {CALLER("%0 = const i64 1\n%1 = call i32 @h#0 %0"), "operand 0 has type i64, must have i32"},
        {CALLER("call @k#1"), "calls what is no helper of this module"},
        {CALLER("call"), "calls what is no helper of this module"},
        {HELPER("%0 = param i32 0\n%1 = call i32 @h#0 %0\nreturn %1"), "function 'h' calls itself"},
    };
    CHECK_ROWS(rows);
#undef CALLER
}

TEST(formats_and_their_arguments_agree)
{
    static const struct row rows[] = {
        {KERNEL("print %0 %2 %5 %1 \"%d %ld %g %s\\n\""), ""},
        {KERNEL("print %0 %0 %5 \"%*.*f\""), ""},
        {KERNEL("print %0"), "has no text"},
        {KERNEL("print %2 \"%d\""), "operand 0 has type i64, must have i32"},
        {KERNEL("print %0 \"%lld\""), "operand 0 has type i32, must have i64"},
        {KERNEL("print %3 \"%f\""), "operand 0 has type f32, must have f64"},
        {KERNEL("print %0 \"%s\""), "operand 0 has type i32, must have ptr"},
        {KERNEL("print \"%d\""), "its format wants 1 arguments, it has 0"},
        {KERNEL("print %0 \"100%%\""), "its format wants 0 arguments, it has 1"},
        {KERNEL("print %1 \"%n\""), "its format holds a conversion that is not supported"},
        {KERNEL("fail"), "has no text"},
    };
    CHECK_ROWS(rows);
}

TEST(control_has_its_regions_and_conditions)
{
    static const struct row rows[] = {
        {KERNEL("if L0 %0 {\n} {\n}"), "operand 0 has type i32, must have i1"},
        {KERNEL("if L0 %4 {\n} {\n} {\n}"), "has 3 regions"},
        {KERNEL("if L0 %4"), "has 0 regions"},
        {KERNEL("block L0 {\n} {\n}"), "has 2 regions"},
        {KERNEL("loop L0"), "has 0 regions"},
        {KERNEL("cfg L0"), "has 0 regions"},
        {KERNEL("switch L0 %0 {\n}"), "operand 0 has type i32, must have i64"},
        {KERNEL("switch L0 %2 case 1 1 {\n}"), "case 1 starts at region 1, which does not exist"},
        {KERNEL("switch L0 %2 case 1 0 case 1 0 {\n}"), "case 1 stands twice"},
        {KERNEL("switch L0 %2 default 1 {\n}"), "its default region 1 does not exist"},
        {KERNEL("blocks L0 {\nblocks L1 {\n}\n}"), "stands in a block of another"},
        {HELPER("blocks L0 {\n}"), "stands outside a kernel"},
        {KERNEL("return %0\n%7 = const i32 1"), "must be the last of its region"},
        {KERNEL("fail \"x\"\nfail \"y\""), "must be the last of its region"},
    };
    CHECK_ROWS(rows);
}

TEST(breaks_and_jumps_leave_only_what_may_be_left)
{
    static const struct row rows[] = {
        {KERNEL("block L0 {\n}\nbreak of L0"), "its target does not enclose it"},
        {KERNEL("break"), "its target is no block, loop or switch"},
        {KERNEL("if L0 %4 {\nbreak of L0\n}"), "its target is no block, loop or switch"},
        {KERNEL("cfg L0 {\nbreak of L0\n}"), "its target is no block, loop or switch"},
        {KERNEL("block L0 {\njump 0 of L0\n}"), "its target is no cfg"},
        {KERNEL("cfg L0 {\njump 1 of L0\n}"), "its target has no region 1"},
        {KERNEL("cfg L0 {\njump -1 of L0\n}"), "its target has no region -1"},
        {KERNEL("block L0 {\nfor L1 $i#0 slt %0 %0 step 1 {\nbreak of L0\n}\n}"), "leaves a for"},
        {KERNEL("for L0 $i#0 slt %0 %0 step 1 {\nreturn %0\n}"), "leaves a for"},
        {KERNEL("block L0 {\nblocks L1 {\nbreak of L0\n}\n}"), "leaves a stream_parallel block"},
        {KERNEL("blocks L0 {\nreturn %0\n}"), "leaves a stream_parallel block"},
        {KERNEL("for L0 $i#0 slt %0 %0 step 1 {\nblock L1 {\nbreak of L1\n}\n}"), ""},
    };
    CHECK_ROWS(rows);
}

TEST(counted_loops_have_their_shape)
{
    static const struct row rows[] = {
        {KERNEL("for L0 $x#1 slt %3 %3 step 1 {\n}"), "its counter is no integer variable of this function"},
        {KERNEL("for L0 $m#2 slt %0 %0 step 1 {\n}"), "its counter is no integer variable of this function"},
        {KERNEL("for L0 $b#3 slt %4 %4 step 1 {\n}"), "its counter is no integer variable of this function"},
        {KERNEL("for L0 slt %0 %0 step 1 {\n}"), "its counter is no integer variable of this function"},
        {KERNEL("for L0 $i#0 slt %2 %0 step 1 {\n}"), "its init has type i64, its counter i32"},
        {KERNEL("for L0 $i#0 slt %0 %2 step 1 {\n}"), "its bound has type i64, its counter i32"},
        {KERNEL("for L0 $i#0 eq %0 %0 step 1 {\n}"), "it compares by eq"},
        {KERNEL("for L0 $i#0 slt %0 %0 step 0 {\n}"), "step 0 does not fit slt of i32"},
        {KERNEL("for L0 $i#0 slt %0 %0 step -1 {\n}"), "step -1 does not fit slt of i32"},
        {KERNEL("for L0 $i#0 uge %0 %0 step 1 {\n}"), "step 1 does not fit uge of i32"},
        {KERNEL("for L0 $i#0 ne %0 %0 step 2 {\n}"), "step 2 does not fit ne of i32"},
        {KERNEL("for L0 $i#0 slt %0 %0 step 4294967296 {\n}"), "step 4294967296 does not fit slt of i32"},
        {KERNEL("for L0 $i#0 slt %0 %0 step 1 {\n} {\nyield %4\n}"), "has 2 regions, must have 1"},
        {KERNEL("for L0 $i#0 slt %0 %0 step 1 recheck {\n}"), "has 1 regions, must have 2"},
        {KERNEL("for L0 $i#0 slt %0 %0 step 1 recheck {\n} {\n}"), "its recheck region does not end with yield"},
        {KERNEL("for L0 $i#0 slt %0 %0 step 1 recheck {\n} {\nyield %0\n}"), "operand 0 has type i32, must have i1"},
        {KERNEL("for L0 $i#0 slt %0 %0 step 1 recheck {\nyield %4\n} {\nyield %4\n}"),
         "stands outside a recheck region"},
        {KERNEL("yield %4"), "stands outside a recheck region"},
        {KERNEL("for L0 $i#0 slt %0 %0 step 1 level 3 {\n}"), "its level, collapse or block_dim is out of range"},
        {KERNEL("for L0 $i#0 slt %0 %0 step 1 collapse -1 {\n}"), "its level, collapse or block_dim is out of range"},
        {KERNEL("for L0 $i#0 slt %0 %0 step 1 {\nset i32 $i#0 %0\n}"), "writes the counter 'i' of an enclosing for"},
        {KERNEL("for L0 $i#0 slt %0 %0 step 1 {\nif L1 %4 {\nvupdate i32 $i#0 add %0\n}\n}"),
         "writes the counter 'i' of an enclosing for"},
        {KERNEL("for L0 $i#0 slt %0 %0 step 1 {\nfor L1 $i#0 slt %0 %0 step 1 {\n}\n}"),
         "writes the counter 'i' of an enclosing for"},
    };
    CHECK_ROWS(rows);
}

TEST(roles_are_complete)
{
#define LOOP(role) KERNEL("for L0 $i#0 slt %0 %0 step 1 " role " {\n}")
    static const struct row rows[] = {
        {LOOP("role $x#1 reduction update add role $w#4 companion leader $x#1"), ""},
        {LOOP("role $m#2 last_value"), "role 0 is of what is no scalar of this function"},
        {LOOP("role $x#1 reduction"), "the role of 'x' has no update"},
        {LOOP("role $x#1 private update add"), "the role of 'x' has an update"},
        {LOOP("role $x#1 companion"), "the role of 'x' must name a leader"},
        {LOOP("role $x#1 last_value leader $w#4"), "the role of 'x' must not name a leader"},
    };
    CHECK_ROWS(rows);
#undef LOOP
}

TEST(variables_stay_in_their_loop)
{
#define SCOPED(type, lines)                                                                                            \
    HEAD "kernel 0 \"k\" returns void\n  var 0 \"i\" i32\n  var 1 \"t\" i32 scope L0\n  body {\n%0 = const i32 1\n"    \
         "%1 = const i1 1\n" lines "\n  }\nend\n"
    static const struct row rows[] = {
        {SCOPED("i32", "for L0 $i#0 slt %0 %0 step 1 {\nset i32 $t#1 %0\n}"), ""},
        {SCOPED("i32", "for L0 $i#0 slt %0 %0 step 1 {\n}\nset i32 $t#1 %0"),
         "variable 't' is used outside the loop it belongs to"},
        {SCOPED("i32", "if L0 %1 {\n}"), "the scope of variable 't' is no loop of this function"},
    };
    CHECK_ROWS(rows);
#undef SCOPED
}

TEST(tables_of_the_function_are_sound)
{
    static const struct row rows[] = {
        {HEAD "kernel 0 \"k\" returns void\n  var 0 \"x\"\n  body {\n  }\nend\n",
         "variable 'x' is neither a scalar with a type nor memory with an alignment"},
        {HEAD "kernel 0 \"k\" returns void\n  var 0 \"x\" memory size 4\n  body {\n  }\nend\n",
         "variable 'x' is neither a scalar with a type nor memory with an alignment"},
        {HEAD "kernel 0 \"k\" returns void\n  var 0 \"x\" memory size 4 align 3\n  body {\n  }\nend\n",
         "variable 'x' is neither a scalar with a type nor memory with an alignment"},
        {HEAD "kernel 0 \"k\" returns void\n  var 0 \"x\" i32 slot -3\n  body {\n  }\nend\n", "has slot -3"},
        {HEAD "kernel 0 \"k\" returns void\n  var 0 i32\n  body {\n  }\nend\n", "variable 0 has no name"},
        {HEAD "kernel 0 \"k\" returns void\n  param 0 \"x\" void\n  body {\n  }\nend\n", "parameter 'x' has no type"},
        {HEAD "kernel 0 \"k\" returns void\n  param 0 i32\n  body {\n  }\nend\n", "parameter 0 has no name"},
        {HEAD "kernel 0 \"k\" returns void\n  param 0 \"x\" i32 array\n  body {\n  }\nend\n", "must be a ptr"},
        {HEAD
         "kernel 0 \"k\" returns void\n  param 0 \"x\" ptr array extent %0\n  body {\n%0 = const i32 1\n  }\nend\n",
         "extent 0 of parameter 'x' is no i64 of the kernel's entry"},
        {HEAD "kernel 0 \"k\" returns void\n  param 0 \"x\" ptr array extent %0\n  body {\nblock L0 {\n"
              "%0 = const i64 1\n}\n  }\nend\n",
         "extent 0 of parameter 'x' is no i64 of the kernel's entry"},
        {HEAD
         "helper 0 \"k\" returns void\n  param 0 \"x\" ptr array extent %0\n  body {\n%0 = const i64 1\n  }\nend\n",
         "parameter 'x' has extents and is no array of a kernel"},
    };
    CHECK_ROWS(rows);
}

TEST(tables_of_the_module_are_sound)
{
    static const struct row rows[] = {
        {HEAD EMPTY_KERNEL "kernel 1 \"k\" returns void\n  body {\n  }\nend\n", "two functions are named 'k'"},
        {HEAD "kernel 0 returns void\n  body {\n  }\nend\n", "function 0 has no name"},
        {HEAD "global 0 \"g\" size 8 align 3\n", "global 0 has no name, another index or no alignment"},
        {HEAD "global 0 \"g\" size 8 align 8 bytes\n  zeros 8\n  reloc 1 &g#0 0\n",
         "global 'g': pointer 0 lies outside it"},
        {HEAD "global 0 \"g\" size 8 align 8\n  reloc 0 &g#0 0\n", "global 'g' holds pointers and has no bytes"},
    };
    CHECK_ROWS(rows);
}

// ---- what no text can say ------------------------------------------------------------------------------------------

static struct ir_inst *small_kernel(struct fixture *f)
{
    fixture_init(f);
    fixture_function(f, IR_FUNCTION_KERNEL, "k", IR_VOID);
    struct ir_inst *a = ir_const(&f->b, IR_I32, 1);
    struct ir_inst *b = ir_const(&f->b, IR_I32, 2);
    struct ir_inst *sum = ir_emit2(&f->b, IR_OP_ADD, IR_I32, a, b);
    ir_control(&f->b, IR_OP_BLOCK, NULL, 1);
    return sum;
}

static void check_says(struct fixture *f, const char *expected)
{
    CHECK_CONTAINS(fixture_verify(f), expected);
    fixture_finish(f);
}

TEST(instructions_are_linked_numbered_and_owned)
{
    struct fixture f;
    struct ir_inst *sum = small_kernel(&f);
    CHECK_STR(fixture_verify(&f), "");
    sum->args[1] = NULL;
    check_says(&f, "%2 (add): operand 1 is missing");

    sum = small_kernel(&f);
    sum->args[1] = sum->next;
    check_says(&f, "operand 1 (block) has no value");

    sum = small_kernel(&f);
    ir_move_before(sum->prev, sum->next); // %1 now stands behind its use
    check_says(&f, "%2 (add): operand 1, %1, is not in scope");

    sum = small_kernel(&f);
    ir_remove(sum->args[0]);
    check_says(&f, "%2 (add): operand 0, %0, is not in scope");

    sum = small_kernel(&f);
    sum->id = 1;
    check_says(&f, "another value has the same number");

    sum = small_kernel(&f);
    sum->id = 99;
    check_says(&f, "its number is beyond the function's 3");

    sum = small_kernel(&f);
    sum->id = -1;
    check_says(&f, "its value has no number");

    sum = small_kernel(&f);
    sum->next->id = 5;
    check_says(&f, "has a number but no value");

    sum = small_kernel(&f);
    sum->prev->parent = NULL;
    check_says(&f, "is not linked into its region");

    sum = small_kernel(&f);
    sum->parent->last = sum;
    check_says(&f, "a region's last instruction is not its last");

    sum = small_kernel(&f);
    sum->next->regions[0].owner = NULL;
    check_says(&f, "a region does not name its owner");

    sum = small_kernel(&f);
    sum->op = IR_OP_COUNT;
    check_says(&f, "there is no such operation or type");

    sum = small_kernel(&f);
    ir_make_regions(f.module, sum, 1);
    check_says(&f, "must not have regions");

    sum = small_kernel(&f);
    ir_emit0(&f.b, IR_OP_MATH, IR_F32)->imm = IR_MATH_COUNT;
    check_says(&f, "there is no math function");

    sum = small_kernel(&f);
    struct ir_inst *loop = ir_emit_for(&f.b, NULL, sum->args[0], sum->args[1], IR_OP_SLT, 1);
    f.b.before = loop;
    loop->args[0] = ir_const(&f.b, IR_I32, 0);
    loop->args[1] = loop->args[0];
    loop->loop = NULL;
    check_says(&f, "has no loop");
}

TEST(names_from_elsewhere_are_refused)
{
    struct fixture f;
    small_kernel(&f);
    struct ir_var stranger = {.name = "stranger", .type = IR_I32};
    ir_get(&f.b, &stranger);
    check_says(&f, "its variable is none of this function's");

    small_kernel(&f);
    struct ir_global global = {.name = "stranger", .align = 4};
    ir_emit0(&f.b, IR_OP_ADDR_GLOBAL, IR_PTR)->global = &global;
    check_says(&f, "its global is none of this module's");

    small_kernel(&f);
    ir_global_create(f.module, "g", 8, 8)->index = 3;
    check_says(&f, "global 0 has no name, another index or no alignment");

    small_kernel(&f);
    struct ir_global *holder = ir_global_create(f.module, "g", 8, 8);
    holder->bytes = arena_alloc(&f.arena, 8);
    holder->relocs = ARENA_NEW(&f.arena, struct ir_reloc);
    holder->relocs->target = &global;
    holder->reloc_count = 1;
    check_says(&f, "global 'g': pointer 0 points to no global of this module");

    small_kernel(&f);
    ir_var_create(f.module, f.b.function, "x", IR_I32)->index = 7;
    check_says(&f, "variable 'x' is number 0, says 7");
}

TEST(many_faults_are_counted_not_listed)
{
    struct fixture f;
    small_kernel(&f);
    for (int i = 0; i < 80; i++) {
        ir_emit0(&f.b, IR_OP_ITER, IR_I64);
    }
    check_says(&f, "and 30 more");
}
