# What a person does with this tree. Each target that needs packages begins by Scripts/bootstrap, which
# is instant when they are there. `make` alone lists the targets.
SHELL := /bin/bash
MAKEFLAGS += --no-print-directory
.DEFAULT_GOAL := help

PREFIX ?= /usr/local
DESTDIR ?=
# Installed programs carry the Swift libraries with them, so that they start fast and do not break when
# the toolchain is moved or upgraded. `make install RELEASE_FLAGS=` links the toolchain's instead.
RELEASE_FLAGS ?= --static-swift-stdlib
# More arguments for the test runners: `make unit SWIFT_TEST_FLAGS='--filter Framer'`,
# `make integration BATS_FLAGS='--filter relaunch'`, `make bench BENCH_FLAGS='--only large'`.
SWIFT_TEST_FLAGS ?=
BATS_FLAGS ?=
BENCH_FLAGS ?=
TORTURE_FLAGS ?=
# How long `make fuzz` spends on each target, and how many transfers `make leaks` makes.
SECONDS_EACH ?= 10
COUNT ?= 10000

bin_dir = $(DESTDIR)$(PREFIX)/bin
libexec_dir = $(DESTDIR)$(PREFIX)/libexec
unit_dir = $(DESTDIR)$(PREFIX)/lib/systemd/user
units = urlsessiond.socket urlsessiond.service

# The folders the binaries are in, asked only by the recipes that use them.
debug_bin = $$(swift build --show-bin-path)
release_bin = $$(swift build -c release $(RELEASE_FLAGS) --show-bin-path)

.NOTPARALLEL:
.PHONY: help demo test unit integration lessons interop torture docs sanitize fuzz leaks coverage check bench refusals build \
	release install uninstall clean

help: ## list these targets
	@echo "make TARGET, where TARGET is one of"
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  \1|\2/p' Makefile | column -t -s '|' 2>/dev/null \
		|| sed -n 's/^\([a-z]*\):.*## \(.*\)/  \1: \2/p' Makefile

demo: ## experiment 1, as a person would do it, in a home of its own
	@Scripts/bootstrap demo
	@swift build --quiet
	@BIN="$(debug_bin)" Scripts/demo

test: unit integration ## unit and integration tests

unit: ## Swift Testing, module by module, and the slow server's own tests
	@Scripts/bootstrap test
	@swift test --quiet $(SWIFT_TEST_FLAGS)
	@python3 Tests/Server/test_slow_server.py --quiet

integration: ## bgtool and the service from outside, with bats
	@Scripts/bootstrap test
	@swift build --quiet
	@Scripts/build-packages
	@BIN="$(debug_bin)" Scripts/integration $(BATS_FLAGS)

lessons: ## the experiments, as a person would do them; WRITE=1 writes docs/lessons
	@Scripts/bootstrap test
	@swift build --quiet
	@BIN="$(debug_bin)" WRITE="$(WRITE)" Scripts/lessons/run

torture: ## kill everything at random moments; ROUNDS=20, TORTURE_FLAGS='--seed N'
	@Scripts/bootstrap test
	@swift build --quiet
	@BIN="$(debug_bin)" Scripts/torture $(TORTURE_FLAGS)

interop: ## the same against nginx, apache2, lighttpd and caddy
	@Scripts/bootstrap interop
	@swift build --quiet
	@BIN="$(debug_bin)" Scripts/interop $(BATS_FLAGS)

docs: ## the API's pages and articles, without a warning, into .build/docs
	@Scripts/bootstrap build
	@swift build --quiet
	@Scripts/docs

check: ## format, shellcheck, Python lint, import table, words
	@Scripts/bootstrap check
	@Scripts/check

sanitize: ## unit tests under ThreadSanitizer and AddressSanitizer
	@Scripts/bootstrap test
	@Scripts/sanitize $(if $(SWIFT_TEST_FLAGS),-- $(SWIFT_TEST_FLAGS))

fuzz: ## made-up bytes for all that reads a stranger's; SECONDS_EACH=10
	@Scripts/bootstrap build
	@SECONDS_EACH="$(SECONDS_EACH)" Scripts/fuzz

leaks: ## memory and descriptors over COUNT=10000 small transfers
	@Scripts/bootstrap test
	@swift build --quiet
	@BIN="$(debug_bin)" Scripts/leaks "$(COUNT)"

coverage: ## lines that the unit tests run, a table by module
	@Scripts/bootstrap test
	@Scripts/coverage $(SWIFT_TEST_FLAGS)

bench: release ## speed beside curl, aria2 and wget; QUICK=1 for a minute's look
	@Scripts/bootstrap bench
	@BIN="$(release_bin)" Scripts/bench $(BENCH_FLAGS)

refusals: release ## what a background session refuses, in a release build
	@Scripts/bootstrap test
	@BIN="$(release_bin)" Scripts/integration Tests/Integration/09-what-it-accepts.bats

build:
	@Scripts/bootstrap build
	@swift build --quiet

# Shown only when it fails: linking Swift's static libraries warns of a call inside Foundation's own
# archive each time. The debug build shows every warning of ours.
release:
	@Scripts/bootstrap build
	@said=$$(swift build --quiet -c release $(RELEASE_FLAGS) 2>&1) || { echo "$$said" >&2; exit 1; }
	@Scripts/check-release "$(release_bin)/bgtool" "$(release_bin)/urlsessiond"

install: release ## into PREFIX (/usr/local), staged under DESTDIR if set
	@DESTDIR="$(DESTDIR)" Scripts/stop-installed "$(PREFIX)"
	@install -d "$(bin_dir)" "$(libexec_dir)" "$(unit_dir)"
	@install -m 755 -s "$(release_bin)/bgtool" "$(bin_dir)/bgtool"
	@install -m 755 -s "$(release_bin)/urlsessiond" "$(libexec_dir)/urlsessiond"
	@for unit in $(units); do \
		sed 's|@PREFIX@|$(PREFIX)|g' "Support/systemd/$$unit.in" > "$(unit_dir)/$$unit" \
			&& chmod 644 "$(unit_dir)/$$unit" || exit 1; \
	done
	@echo "Installed $(bin_dir)/bgtool, $(libexec_dir)/urlsessiond and, in $(unit_dir), $(units)."
	@sed 's|@UNITS@|$(PREFIX)/lib/systemd/user|g' Support/systemd/after-install.txt

uninstall: ## removes exactly what install put there
	@DESTDIR="$(DESTDIR)" Scripts/stop-installed "$(PREFIX)"
	@rm -f "$(bin_dir)/bgtool" "$(libexec_dir)/urlsessiond" $(foreach unit,$(units),"$(unit_dir)/$(unit)")
	@echo "Removed bgtool, urlsessiond and its units. Transfers and their files stay where they are:"
	@echo "$${XDG_STATE_HOME:-~/.local/state}/urlsessiond."

clean: ## removes what building made
	@swift package clean
	@rm -rf .build
