# A thin front of CMake, the tools and the command line. `make` alone builds the release into build/release.
JOBS ?= $(shell nproc)
RILL_LLVM_CONFIG ?=
export RILL_LLVM_CONFIG
llvm = $(if $(RILL_LLVM_CONFIG),-DRILL_LLVM_CONFIG=$(RILL_LLVM_CONFIG))
rill = build/release/bin/rill

.PHONY: all demo check test test-all bench release wheel deb coverage fuzz format exports install-deps help

all: build/release
	@cmake --build build/release -j $(JOBS)

help:
	@echo 'make           build the release: $(rill)'
	@echo 'make demo      install what is missing, build, and show what it does: compile, compare with gcc, overlap, refuse'
	@echo 'make check     the quick form of the tests, for daily work: two minutes after a build'
	@echo 'make test      install what is missing, build every way and run every test: 16 minutes on two cores'
	@echo 'make test-all  everything in every build: hours (RESUME=1 goes on where it was stopped)'
	@echo 'make bench     the benchmarks, beside gcc and clang with OpenMP, PoCL, bare threads'
	@echo 'make release   the archive of what a user needs, in dist/'
	@echo 'make deb       a Debian package, in dist/'
	@echo 'make wheel     the Python package, in dist/: pip install dist/rill-*.whl'
	@echo 'make coverage  what the tests reach, in build/coverage'
	@echo 'make fuzz      the fuzz targets, ten minutes each (FUZZ_SECONDS=n for another time)'
	@echo 'make format    clang-format over the tree'
	@echo 'make exports   the list of exported symbols that the tests compare with'

.PHONY: build/release
build/release: | install-build-deps
	@cmake --preset release --log-level=WARNING $(llvm) >/dev/null

.PHONY: install-build-deps
install-build-deps:
	@tools/install-deps build

install-deps:
	@tools/install-deps test

demo: all
	@$(rill) demo

check: install-deps
	@tools/run-tests --quick

test: install-deps
	@tools/run-tests

test-all: install-deps
	@tools/run-tests --all $(if $(RESUME),--resume)

bench: all
	@tools/install-deps bench
	@for program in build/release/bench/*; do echo "== $$program"; RILL_CACHE=off $$program || exit 1; done

release: all
	@tools/make-archive

deb: all
	@cpack --config build/release/CPackConfig.cmake -B dist >/dev/null && rm -rf dist/_CPack_Packages && ls dist/*.deb

wheel: build/release
	@tools/make-wheel

coverage: install-deps
	@tools/coverage

fuzz: install-deps
	@tools/fuzz

format: install-deps
	@tools/format

exports: all
	@tools/check-exports --update build/release
