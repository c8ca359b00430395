# LiveSessions: build, check, test, run and install. `make help` lists the targets.

PREFIX ?= /usr
DESTDIR ?=
SYSCONFDIR ?= /etc
UNITDIR ?= /usr/lib/systemd/system
CONFIGURATION ?= release
SWIFT ?= swift
RELEASE_FLAGS = -c $(CONFIGURATION) --static-swift-stdlib
BIN = .build/$(CONFIGURATION)
PROGRAMS = livesessionsd livesessions-hub livesessions

.PHONY: help build run test test-unit test-interop test-vm fuzz check format bench install deb clean

help:
	@echo "make run           install what is missing, build, start hub and device, say what to try"
	@echo "make test          unit and scenario tests, then calls with Chromium and aiortc"
	@echo "make test-vm       the daemon in a virtual machine with a kernel camera, sound card and gpsd"
	@echo "make check         format, arrows between targets, warnings as errors, sample configuration"
	@echo "make fuzz          every parser for SECONDS (10) each"
	@echo "make bench         CPU and memory beside vpxenc and opusenc, the transport (beside Janus if it is installed)"
	@echo "make install       into DESTDIR and PREFIX"
	@echo "make deb           Debian packages of device and hub, in build/"

build:
	@tools/dependencies build
	@for program in $(PROGRAMS); do $(SWIFT) build $(RELEASE_FLAGS) --product $$program || exit 1; done

run: build
	@tools/demo $(BIN)

test: test-unit test-interop

test-unit:
	@tools/dependencies build test
	$(SWIFT) build --build-tests
	# One after the other: some tests wait for programs, and the shared pool of a small machine has two threads.
	$(SWIFT) test --skip-build --no-parallel

test-interop: build
	@tools/dependencies test
	Tests/Interop/run --bin $(BIN) $(INTEROP_FLAGS)

test-vm: build
	@tools/dependencies vm
	Tests/DeviceVM/run --bin $(BIN) $(VM_FLAGS)

fuzz:
	Tests/Fuzz/run --seconds $(or $(SECONDS),10)

check:
	@tools/dependencies build
	$(SWIFT) format lint --strict --recursive Sources Tests Package.swift
	tools/check-arrows
	$(SWIFT) build --build-tests
	tools/check-linking .build/debug

format:
	$(SWIFT) format --in-place --recursive Sources Tests Package.swift

bench: build
	@tools/dependencies test bench
	Benchmarks/run
	Benchmarks/run --transport $(if $(shell command -v janus),--janus)

install:
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/share/livesessions/web $(DESTDIR)$(SYSCONFDIR)/livesessions \
	  $(DESTDIR)$(UNITDIR) $(DESTDIR)/usr/lib/sysusers.d $(DESTDIR)/usr/lib/tmpfiles.d $(DESTDIR)/usr/lib/udev/rules.d
	install -m 0755 --strip $(addprefix $(BIN)/,$(PROGRAMS)) $(DESTDIR)$(PREFIX)/bin
	install -m 0644 Sources/Hub/HubHTTP/web/* $(DESTDIR)$(PREFIX)/share/livesessions/web
	@# Settings that are there already are the administrator's.
	for file in etc/livesessions/*.toml; do \
	  [ -e $(DESTDIR)$(SYSCONFDIR)/livesessions/$${file##*/} ] || \
	    install -m 0644 $$file $(DESTDIR)$(SYSCONFDIR)/livesessions; \
	done
	install -m 0644 systemd/*.service systemd/*.socket $(DESTDIR)$(UNITDIR)
	install -m 0644 systemd/sysusers.d/*.conf $(DESTDIR)/usr/lib/sysusers.d
	install -m 0644 systemd/tmpfiles.d/*.conf $(DESTDIR)/usr/lib/tmpfiles.d
	install -m 0644 systemd/rules.d/*.rules $(DESTDIR)/usr/lib/udev/rules.d

deb: build
	tools/deb $(BIN) build

clean:
	rm -rf build
	$(SWIFT) package clean
