# LiveSessions: build, check, test, run and install. `make help` lists the targets.

PREFIX ?= /usr
DESTDIR ?=
SYSCONFDIR ?= /etc
UNITDIR ?= /usr/lib/systemd/system
MANDIR ?= $(PREFIX)/share/man
DOCDIR ?= $(PREFIX)/share/doc/livesessions
BASHDIR ?= $(PREFIX)/share/bash-completion/completions
ZSHDIR ?= $(PREFIX)/share/zsh/vendor-completions
FISHDIR ?= $(PREFIX)/share/fish/vendor_completions.d
CONFIGURATION ?= release
SWIFT ?= swift
RELEASE_FLAGS = -c $(CONFIGURATION) --static-swift-stdlib
BIN = .build/$(CONFIGURATION)
PROGRAMS = livesessionsd livesessions-hub livesessions
# Those that people type.
COMMANDS = livesessions livesessions-hub

.PHONY: help build run run-fleet test test-unit test-page test-core docs test-asan test-tsan test-interop test-abuse test-vm fuzz check settings format bench \
  install install-programs install-settings install-manuals install-completions install-documents deb pictures clean

help:
	@echo "make run           install what is missing, build, start hub and device, say what to try"
	@echo "make run-fleet     the same with a hub of two nodes, Redis, HAProxy and three devices"
	@echo "make build         the three programs; what the compiler says is in build/log (with V=1 or CI=true on the screen)"
	@echo "make test          unit and scenario tests, those of the page, then calls with Chromium and aiortc"
	@echo "make test-page     the page's modules in Node, in seconds; one file with ONLY=call"
	@echo "make test-core     Core's unit tests alone, in seconds; of one target with ONLY=RTPTests"
	@echo "make test-abuse    floods, storms, hostile hubs and callers, and what bystanders notice of them"
	@echo "make test-asan     unit and scenario tests under AddressSanitizer; test-tsan: under ThreadSanitizer; some with ONLY=\"…\""
	@echo "make test-vm       the daemon in a virtual machine with cameras, a sound card and gpsd"
	@echo "make check         format, arrows between targets, arithmetic, switches, ARM, warnings as errors, documentation"
	@echo "make docs          Core's public interfaces as pages for a browser, in build/docs"
	@echo "make settings      samples, manual pages and reference of the configuration files, from the settings' descriptions"
	@echo "make fuzz          every parser for SECONDS (10) each"
	@echo "make bench         CPU and memory beside vpxenc and opusenc, the transport (beside Janus if it is installed)"
	@echo "make pictures      the README's pictures, from real runs; the chart from the last make bench; ONLY=states: all states of the page"
	@echo "make install       into DESTDIR and PREFIX"
	@echo "make deb           Debian packages of device and hub, in build/; their debug symbols in build/dbgsym"

build:
	@tools/dependencies build
	@tools/quietly build/log/build.log "Building $(PROGRAMS) ($(CONFIGURATION); the first time takes minutes)" \
	  env LIVESESSIONS_PROGRAMS_ALONE=1 $(SWIFT) build $(RELEASE_FLAGS)

run: build
	@tools/demo $(BIN)

run-fleet: build
	@tools/dependencies fleet
	@tools/run-fleet $(BIN)

test: test-unit test-page test-interop

test-unit:
	@tools/dependencies build test
	$(SWIFT) build --build-tests
	tools/unit-tests

# Core alone, in a folder of its own: seconds from a change to its tests, of one target with ONLY=RTPTests, of a suite
# with ONLY=RTPTests.SomeSuite. What a target does not need is not compiled.
test-core: export LIVESESSIONS_ONLY = $(filter $(notdir $(wildcard Tests/*Tests)),$(firstword $(subst ., ,$(ONLY))))

test-core:
	@tools/dependencies core
	LIVESESSIONS_CORE_ALONE=1 $(SWIFT) build --build-tests --scratch-path .build-core
	.build-core/debug/livesessionsPackageTests.xctest --testing-library swift-testing --no-parallel \
	  $(if $(ONLY),--filter '$(ONLY)')

# Without a browser; what needs one is in Tests/Interop.
test-page:
	@tools/dependencies page
	LC_ALL=C.UTF-8 timeout 120 node --test Tests/Page/$(or $(ONLY),*).test.mjs

# Core's public interfaces as pages (DocC).
docs:
	@tools/dependencies core
	LIVESESSIONS_CORE_ALONE=1 $(SWIFT) build --scratch-path .build-core
	tools/core-docs .build-core/debug/Modules

# Sanitizers build everything of their own, in folders of their own: some minutes the first time, less
# with the targets of ONLY="CallEngineTests HubCoreTests" alone.
test-asan test-tsan: export LIVESESSIONS_ONLY = $(ONLY)

test-asan:
	@tools/dependencies build test
	$(SWIFT) build --build-tests --sanitize=address --scratch-path .build-asan
	tools/run-sanitized address $(SANITIZER_FLAGS)

test-tsan:
	@tools/dependencies build test
	$(SWIFT) build --build-tests --sanitize=thread -Xswiftc -DTHREAD_SANITIZER --scratch-path .build-tsan
	tools/run-sanitized thread $(SANITIZER_FLAGS)

# What describes the configuration files; a test compares it with the descriptions.
settings:
	@tools/dependencies build test
	$(SWIFT) build --build-tests
	WRITE_SETTINGS=1 tools/unit-tests SettingDocumentsTests

test-interop: build
	@tools/dependencies test
	Tests/Interop/run --bin $(BIN) $(INTEROP_FLAGS)

test-abuse: build
	@tools/dependencies test
	Tests/Abuse/run --bin $(BIN) $(ABUSE_FLAGS)

test-vm: build
	@tools/dependencies vm
	Tests/DeviceVM/run --bin $(BIN) $(VM_FLAGS)

fuzz:
	Tests/Fuzz/run --seconds $(or $(SECONDS),10)

check:
	@tools/dependencies build check arm
	$(SWIFT) format lint --strict --recursive Sources Tests Package.swift
	tools/check-arrows
	tools/check-arithmetic
	tools/check-switches
	tools/check-arm
	$(SWIFT) build --build-tests
	tools/check-linking .build/debug
	tools/check-docs .build/debug
	tools/core-docs .build/debug/Modules

format:
	$(SWIFT) format --in-place --recursive Sources Tests Package.swift

bench: build
	@tools/dependencies test bench
	Benchmarks/run --bin $(BIN) --json build/bench/recording.json
	Benchmarks/run --light --bin $(BIN) --out build/bench/light
	Benchmarks/run --transport $(if $(shell command -v janus),--janus) --json build/bench/transport.json

pictures: build
	@tools/dependencies test bench
	tools/pictures/run --bin $(BIN) $(ONLY)

install: install-programs install-settings install-manuals install-completions install-documents

install-programs:
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/share/livesessions/web
	install -m 0755 --strip $(addprefix $(BIN)/,$(PROGRAMS)) $(DESTDIR)$(PREFIX)/bin
	cd Sources/Hub/HubHTTP/web && find . -type f -exec install -D -m 0644 {} $(abspath $(DESTDIR)$(PREFIX))/share/livesessions/web/{} \;

install-settings:
	install -d $(DESTDIR)$(SYSCONFDIR)/livesessions $(DESTDIR)$(UNITDIR) \
	  $(DESTDIR)/usr/lib/sysusers.d $(DESTDIR)/usr/lib/tmpfiles.d $(DESTDIR)/usr/lib/udev/rules.d
	@# Settings that are there already are the administrator's.
	for file in etc/livesessions/*.toml; do \
	  [ -e $(DESTDIR)$(SYSCONFDIR)/livesessions/$${file##*/} ] || \
	    install -m 0644 $$file $(DESTDIR)$(SYSCONFDIR)/livesessions; \
	done
	install -m 0644 systemd/*.service systemd/*.socket $(DESTDIR)$(UNITDIR)
	@# The templates of further instances, from the units without a name.
	for unit in livesessionsd.service livesessionsd.socket livesessionsd-monitor.socket livesessions-gate.service; do \
	  sed -f systemd/instance.sed systemd/$$unit >$(DESTDIR)$(UNITDIR)/$${unit%.*}@.$${unit##*.} && \
	  chmod 0644 $(DESTDIR)$(UNITDIR)/$${unit%.*}@.$${unit##*.} || exit 1; \
	done
	install -m 0644 systemd/sysusers.d/*.conf $(DESTDIR)/usr/lib/sysusers.d
	install -m 0644 systemd/tmpfiles.d/*.conf $(DESTDIR)/usr/lib/tmpfiles.d
	install -m 0644 systemd/rules.d/*.rules $(DESTDIR)/usr/lib/udev/rules.d

# Compressed without a time in it, so that the same tree gives the same packages.
install-manuals:
	version=$$($(BIN)/livesessionsd --version) && for page in man/*.[158]; do \
	  folder=$(DESTDIR)$(MANDIR)/man$${page##*.} && install -d $$folder && \
	  sed "s/@VERSION@/$$version/" $$page | gzip -9n >$$folder/$${page##*/}.gz || exit 1; \
	done

install-completions:
	install -d $(DESTDIR)$(BASHDIR) $(DESTDIR)$(ZSHDIR) $(DESTDIR)$(FISHDIR)
	for name in $(COMMANDS); do \
	  $(BIN)/$$name --generate-completion-script bash | sed "1{/^#!/d}" >$(DESTDIR)$(BASHDIR)/$$name && \
	  $(BIN)/$$name --generate-completion-script zsh >$(DESTDIR)$(ZSHDIR)/_$$name && \
	  $(BIN)/$$name --generate-completion-script fish >$(DESTDIR)$(FISHDIR)/$$name.fish || exit 1; \
	done

# Users' pages and those about the inside, which link to each other.
install-documents:
	for page in $$(cd docs && find * -name '*.md' -o -name openapi.json -o -name '*.varlink'); do \
	  install -D -m 0644 docs/$$page $(DESTDIR)$(DOCDIR)/$$page || exit 1; \
	done
	@# Files for other programs, to be copied: each says where to.
	cd etc/examples && for file in $$(find * -type f); do \
	  install -D -m $$([ -x $$file ] && echo 0755 || echo 0644) $$file $(abspath $(DESTDIR)$(DOCDIR))/examples/$$file || exit 1; \
	done

deb: build
	tools/deb $(BIN) build

clean:
	rm -rf build
	$(SWIFT) package clean
