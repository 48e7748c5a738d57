# Lists: every target that has a line of help lists itself under `make help`.
SHELL := /bin/bash
.DEFAULT_GOAL := help

RELEASE := .build/release
# The runtime is linked in, since a socket-activated service is judged by its start.
RELEASE_FLAGS := -c release -Xswiftc -static-stdlib

# What building needs, and what the tests and the tour use beside it. Debian's names.
BUILD_PACKAGES := libsystemd-dev libsqlite3-dev libgcrypt20-dev pkg-config
RUN_PACKAGES := $(BUILD_PACKAGES) libicu72 iso-codes systemd
TEST_PACKAGES := $(RUN_PACKAGES) systemd-container dbus python3 util-linux

.PHONY: help
help: ## Lists these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: run
run: need-run release ## Builds, starts the service by socket activation, and shows it at work
	@Clients/Shell/examples/tour.sh $(RELEASE)

.PHONY: test
test: need-test ## Installs what is missing and runs every test
	swift build --build-tests
	# One at a time: the tests wait for real processes, and would starve each other of two cores.
	swift test --skip-build --no-parallel
	python3 -m unittest discover -s Clients/Python -p '*_test.py'
	python3 -m unittest discover -s Tests/PackageIndex -p '*_test.py'
	python3 -m unittest discover -s Tests/LiveChecker -p '*_test.py'
	python3 -m unittest discover -s Tests/HistoryChecker -p '*_test.py'
	python3 -m unittest discover -s Tests/PowerCut -p '*_test.py'
	Tests/Fuzz/sanitize.sh
	Tests/Fuzz/run.sh $${FUZZ_SECONDS:-20}

.PHONY: build
build: need-build ## Debug build
	swift build

.PHONY: release
release: need-build ## Release build, the Swift runtime linked in
	swift build $(RELEASE_FLAGS) --product listsd
	swift build $(RELEASE_FLAGS) --product listsrpc

.PHONY: bench
bench: need-run release ## Fetches and saves a second, and the time of a cold activation
	swift build $(RELEASE_FLAGS) --product listsbench
	$(RELEASE)/listsbench --listsd $(RELEASE)/listsd

.PHONY: packages
packages: need-run release ## Asks Debian's 60,000 packages, and shows each query's plan and time
	Tests/PackageIndex/package_index.py --listsd $(RELEASE)/listsd

.PHONY: check-live
check-live: need-run release ## Holds subscribers to what queries give while all sorts of things happen: SECONDS=600 SEED=1
	Tests/LiveChecker/live_checker.py --listsd $(RELEASE)/listsd --listsrpc $(RELEASE)/listsrpc \
	  --seconds $(or $(SECONDS),60) $(if $(SEED),--seed $(SEED))

.PHONY: check-history
check-history: need-run release ## Looks for one order that explains what clients are answered, while listsd is killed: SECONDS=600 SEED=1
	Tests/HistoryChecker/history_checker.py --listsd $(RELEASE)/listsd --seconds $(or $(SECONDS),60) $(if $(SEED),--seed $(SEED))

.PHONY: check-power-cut
check-power-cut: need-run release ## Opens what a power cut may leave behind, at any write and sync: SECONDS=600 SEED=1, or EVERY=yes
	Tests/PowerCut/power_cut.py --listsd $(RELEASE)/listsd $(if $(EVERY),--every,--seconds $(or $(SECONDS),60)) \
	  $(if $(SEED),--seed $(SEED))

.PHONY: lint
lint: ## Checks the layout of every Swift file
	swift format lint --strict --recursive --parallel Package.swift Sources Tests Clients

.PHONY: format
format: ## Lays out every Swift file
	swift format --in-place --recursive --parallel Package.swift Sources Tests Clients

-include Sources/listsd/install.mk

.PHONY: clean
clean: ## Removes what was built
	swift package clean

# `need-X` installs those of X's packages that are missing, and asks nobody when none is.
.PHONY: need-build need-run need-test
need-build: NEEDED := $(BUILD_PACKAGES)
need-run: NEEDED := $(RUN_PACKAGES)
need-test: NEEDED := $(TEST_PACKAGES)
need-build need-run need-test:
	@missing=; for package in $(NEEDED); do \
	  dpkg-query -W -f '$${Status}' $$package 2>/dev/null | grep -q '^install ok installed' || missing="$$missing $$package"; \
	done; \
	if [ -n "$$missing" ]; then \
	  echo "Installing:$$missing"; \
	  if [ "$$(id -u)" = 0 ]; then as_root=; else as_root=sudo; fi; \
	  $$as_root apt-get update -qq && \
	  DEBIAN_FRONTEND=noninteractive $$as_root apt-get install -y -qq --no-install-recommends $$missing >/dev/null; \
	fi
	@command -v swift >/dev/null || { echo 'Swift 6.3 or later is needed: https://www.swift.org/install/linux/' >&2; exit 1; }
