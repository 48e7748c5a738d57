# Puts the programs, their units, manual pages, completions and the protocol's documents in place.
#
#   PREFIX    where they are used from: /usr/local, and ~/.local for one user
#   DESTDIR   put before every path: to pack them for another machine

ifeq ($(origin PREFIX),undefined)
PREFIX := /usr/local
USER_PREFIX := $(HOME)/.local
else
USER_PREFIX := $(PREFIX)
endif
# systemd looks here under /usr and /usr/local, and in ~/.local/share; for another PREFIX say where it does.
SYSTEM_UNITS ?= $(PREFIX)/lib/systemd/system
GLOBAL_USER_UNITS ?= $(PREFIX)/lib/systemd/user
OWN_USER_UNITS ?= $(USER_PREFIX)/share/systemd/user
SYSTEM_CONFIGURATION := /etc/lists
USER_CONFIGURATION := $(or $(XDG_CONFIG_HOME),$(HOME)/.config)/lists

UNITS := Sources/listsd/systemd
UNIT_NAMES := lists.socket lists.service
PROTOCOL_FILES := Protocol/README.md Protocol/openrpc.json

# $(call install-programs,PREFIX)
define install-programs
	install -d $(addprefix $(DESTDIR)$(1)/,bin share/man/man1 share/man/man5 share/man/man8 share/doc/lists/schema \
	  share/bash-completion/completions share/zsh/site-functions share/fish/vendor_completions.d)
	install -s -m 755 $(RELEASE)/listsd $(RELEASE)/listsrpc $(DESTDIR)$(1)/bin/
	$(RELEASE)/listsd --print listsd.8 >$(DESTDIR)$(1)/share/man/man8/listsd.8
	$(RELEASE)/listsd --print lists.conf.5 >$(DESTDIR)$(1)/share/man/man5/lists.conf.5
	$(RELEASE)/listsrpc manual >$(DESTDIR)$(1)/share/man/man1/listsrpc.1
	$(RELEASE)/listsrpc completion bash >$(DESTDIR)$(1)/share/bash-completion/completions/listsrpc
	$(RELEASE)/listsrpc completion zsh >$(DESTDIR)$(1)/share/zsh/site-functions/_listsrpc
	$(RELEASE)/listsrpc completion fish >$(DESTDIR)$(1)/share/fish/vendor_completions.d/listsrpc.fish
	install -m 644 $(PROTOCOL_FILES) $(DESTDIR)$(1)/share/doc/lists/
	install -m 644 Protocol/schema/*.json $(DESTDIR)$(1)/share/doc/lists/schema/
endef

# $(call remove-programs,PREFIX)
define remove-programs
	rm -f $(addprefix $(DESTDIR)$(1)/,bin/listsd bin/listsrpc share/man/man8/listsd.8 share/man/man5/lists.conf.5 \
	  share/man/man1/listsrpc.1 share/bash-completion/completions/listsrpc share/zsh/site-functions/_listsrpc \
	  share/fish/vendor_completions.d/listsrpc.fish)
	rm -rf $(DESTDIR)$(1)/share/doc/lists
endef

# $(call install-units,KIND,PREFIX,FOLDER)
define install-units
	install -d $(DESTDIR)$(3)
	for unit in $(UNIT_NAMES); do \
	  sed 's|@BINDIR@|$(2)/bin|' $(UNITS)/$(1)/$$unit >$(DESTDIR)$(3)/$$unit && \
	  chmod 644 $(DESTDIR)$(3)/$$unit || exit; \
	done
endef

# $(call install-configuration,FOLDER): the one that is there is somebody's own, and stays.
define install-configuration
	install -d $(DESTDIR)$(1)
	test -e $(DESTDIR)$(1)/lists.conf || $(RELEASE)/listsd --print lists.conf >$(DESTDIR)$(1)/lists.conf
endef

# $(call remove-configuration,FOLDER): unless somebody has changed it.
define remove-configuration
	if [ -e $(DESTDIR)$(1)/lists.conf ] && $(RELEASE)/listsd --print lists.conf | cmp -s - $(DESTDIR)$(1)/lists.conf; then \
	  rm $(DESTDIR)$(1)/lists.conf; rmdir --ignore-fail-on-non-empty $(DESTDIR)$(1); fi
endef

# $(call tell-systemd,OPTION,VERB...): only about this machine, and only where systemd runs.
define tell-systemd
	if [ -z '$(DESTDIR)' ] && systemctl $(1) is-system-running >/dev/null 2>&1; then systemctl $(1) $(2); fi || :
endef

# They are not built anew here: whoever installs need not be who builds.
$(RELEASE)/listsd $(RELEASE)/listsrpc:
	$(MAKE) release

.PHONY: install
install: $(RELEASE)/listsd $(RELEASE)/listsrpc ## Installs for the machine and for every user of it (PREFIX, DESTDIR)
	@$(call install-programs,$(PREFIX))
	@$(call install-units,system,$(PREFIX),$(SYSTEM_UNITS))
	@$(call install-units,user,$(PREFIX),$(GLOBAL_USER_UNITS))
	@$(call install-configuration,$(SYSTEM_CONFIGURATION))
	@$(call tell-systemd,,daemon-reload)
	@echo "Installed under $(DESTDIR)$(PREFIX). The machine's service: systemctl enable --now lists.socket"
	@echo "A user's own: systemctl --user enable --now lists.socket"

.PHONY: install-user
install-user: $(RELEASE)/listsd $(RELEASE)/listsrpc ## Installs for yourself, in ~/.local
	@$(call install-programs,$(USER_PREFIX))
	@$(call install-units,user,$(USER_PREFIX),$(OWN_USER_UNITS))
	@$(call install-configuration,$(USER_CONFIGURATION))
	@$(call tell-systemd,--user,daemon-reload)
	@echo "Installed under $(DESTDIR)$(USER_PREFIX). Start it with: systemctl --user enable --now lists.socket"

.PHONY: uninstall
uninstall: $(RELEASE)/listsd ## Takes away what `make install` put in place; records stay
	@$(call tell-systemd,,disable --now lists.socket lists.service)
	@rm -f $(addprefix $(DESTDIR)$(SYSTEM_UNITS)/,$(UNIT_NAMES)) $(addprefix $(DESTDIR)$(GLOBAL_USER_UNITS)/,$(UNIT_NAMES))
	@$(call remove-configuration,$(SYSTEM_CONFIGURATION))
	@$(call remove-programs,$(PREFIX))
	@$(call tell-systemd,,daemon-reload)
	@echo "Removed. The records are where they were: /var/lib/lists"

.PHONY: uninstall-user
uninstall-user: $(RELEASE)/listsd ## Takes away what `make install-user` put in place; records stay
	@$(call tell-systemd,--user,disable --now lists.socket lists.service)
	@rm -f $(addprefix $(DESTDIR)$(OWN_USER_UNITS)/,$(UNIT_NAMES))
	@$(call remove-configuration,$(USER_CONFIGURATION))
	@$(call remove-programs,$(USER_PREFIX))
	@$(call tell-systemd,--user,daemon-reload)
	@echo "Removed. The records are where they were: $(or $(XDG_STATE_HOME),$(HOME)/.local/state)/lists"
