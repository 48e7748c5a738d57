# Completion of listsrpc for bash; made from the program's command table.
_listsrpc() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev= verb= i
  ((COMP_CWORD > 0)) && prev=${COMP_WORDS[COMP_CWORD-1]}
  # `--name=value` arrives as three words, because bash breaks words at `=`.
  if [[ $cur == = ]]; then cur=; elif [[ $prev == = ]]; then prev=${COMP_WORDS[COMP_CWORD-2]}; fi
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    case ${COMP_WORDS[i]} in
      save|fetch|query|count|distinct|aggregate|delete|deleted|restore|history|watch|changes|subscriptions|zones|containers|check|repair|backup|restore-backup|asset|import|export|schema|declare|call|status|completion|manual) verb=${COMP_WORDS[i]}; break ;;
    esac
  done
  case $verb:$prev in
    save:--name|save:-n) return ;;
    save:--tag|save:-t) return ;;
    save:--zone|save:-z) return ;;
    save:--policy|save:-p) mapfile -t COMPREPLY < <(compgen -W 'ifServerRecordUnchanged changedKeys allKeys' -- "$cur"); return ;;
    save:--idempotency-key) return ;;
    fetch:--type) return ;;
    fetch:--zone|fetch:-z) return ;;
    fetch:--fields|fetch:-f) return ;;
    query:--where|query:-w) return ;;
    query:--arg) return ;;
    query:--arg-json) return ;;
    query:--var) return ;;
    query:--filter-by) return ;;
    query:--zone|query:-z) return ;;
    query:--fields|query:-f) return ;;
    query:--sort|query:-s) return ;;
    query:--limit|query:-n) return ;;
    query:--include) return ;;
    query:--section-by) return ;;
    query:--index-title) mapfile -t COMPREPLY < <(compgen -W 'firstLetter whole wholeUppercased' -- "$cur"); return ;;
    query:--from-title) return ;;
    count:--where|count:-w) return ;;
    count:--arg) return ;;
    count:--arg-json) return ;;
    count:--var) return ;;
    count:--filter-by) return ;;
    count:--zone|count:-z) return ;;
    distinct:--where|distinct:-w) return ;;
    distinct:--arg) return ;;
    distinct:--arg-json) return ;;
    distinct:--var) return ;;
    distinct:--filter-by) return ;;
    distinct:--zone|distinct:-z) return ;;
    distinct:--limit|distinct:-n) return ;;
    aggregate:--where|aggregate:-w) return ;;
    aggregate:--arg) return ;;
    aggregate:--arg-json) return ;;
    aggregate:--var) return ;;
    aggregate:--filter-by) return ;;
    aggregate:--zone|aggregate:-z) return ;;
    aggregate:--group-by|aggregate:-g) return ;;
    aggregate:--limit|aggregate:-n) return ;;
    delete:--type) return ;;
    delete:--zone|delete:-z) return ;;
    delete:--tag|delete:-t) return ;;
    delete:--idempotency-key) return ;;
    deleted:--type) return ;;
    deleted:--zone|deleted:-z) return ;;
    deleted:--limit|deleted:-n) return ;;
    restore:--zone|restore:-z) return ;;
    restore:--tag|restore:-t) return ;;
    history:--zone|history:-z) return ;;
    history:--fields|history:-f) return ;;
    history:--limit|history:-n) return ;;
    watch:--where|watch:-w) return ;;
    watch:--arg) return ;;
    watch:--arg-json) return ;;
    watch:--var) return ;;
    watch:--filter-by) return ;;
    watch:--zone|watch:-z) return ;;
    watch:--record|watch:-r) return ;;
    watch:--fields|watch:-f) return ;;
    watch:--include) return ;;
    watch:--fires-on) return ;;
    watch:--watch-keys) return ;;
    watch:--since) return ;;
    watch:--state) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return ;;
    watch:--sort|watch:-s) return ;;
    watch:--section-by) return ;;
    watch:--index-title) mapfile -t COMPREPLY < <(compgen -W 'firstLetter whole wholeUppercased' -- "$cur"); return ;;
    watch:--limit|watch:-n) return ;;
    watch:--subscription) return ;;
    watch:--exec|watch:-x) mapfile -t COMPREPLY < <(compgen -c -- "$cur"); return ;;
    watch:--count|watch:-c) return ;;
    changes:--zone|changes:-z) return ;;
    changes:--fields|changes:-f) return ;;
    changes:--since) return ;;
    changes:--state) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return ;;
    subscriptions:--where|subscriptions:-w) return ;;
    subscriptions:--arg) return ;;
    subscriptions:--arg-json) return ;;
    subscriptions:--var) return ;;
    subscriptions:--filter-by) return ;;
    subscriptions:--zone|subscriptions:-z) return ;;
    subscriptions:--record|subscriptions:-r) return ;;
    subscriptions:--fields|subscriptions:-f) return ;;
    subscriptions:--include) return ;;
    subscriptions:--fires-on) return ;;
    subscriptions:--watch-keys) return ;;
    subscriptions:--since) return ;;
    asset:--output|asset:-o) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return ;;
    asset:--zone|asset:-z) return ;;
    import:--type|import:-t) return ;;
    import:--zone|import:-z) return ;;
    import:--name-from) return ;;
    import:--rename) return ;;
    import:--reference) return ;;
    import:--fields|import:-f) return ;;
    import:--convert) return ;;
    import:--at) return ;;
    import:--format) mapfile -t COMPREPLY < <(compgen -W 'json jsonl csv tsv cloudkit parse' -- "$cur"); return ;;
    import:--policy|import:-p) mapfile -t COMPREPLY < <(compgen -W 'changedKeys allKeys ifServerRecordUnchanged' -- "$cur"); return ;;
    import:--assets) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -d -- "$cur"); return ;;
    import:--report) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return ;;
    import:--resume) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return ;;
    export:--where|export:-w) return ;;
    export:--arg) return ;;
    export:--arg-json) return ;;
    export:--var) return ;;
    export:--filter-by) return ;;
    export:--zone|export:-z) return ;;
    export:--fields|export:-f) return ;;
    export:--sort|export:-s) return ;;
    export:--format) mapfile -t COMPREPLY < <(compgen -W 'json jsonl csv tsv cloudkit parse' -- "$cur"); return ;;
    export:--assets) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -d -- "$cur"); return ;;
    export:--output|export:-o) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return ;;
    declare:--index|declare:-i) return ;;
    declare:--automatic-indexes) mapfile -t COMPREPLY < <(compgen -W 'on off' -- "$cur"); return ;;
    declare:--ckdb) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return ;;
    declare:--schema) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return ;;
    declare:--required) return ;;
    declare:--unique) return ;;
    declare:--default) return ;;
    declare:--min) return ;;
    declare:--max) return ;;
    declare:--pattern) return ;;
    declare:--merge) return ;;
    declare:--no-rule) return ;;
    declare:--rename) return ;;
    declare:--retype) return ;;
    declare:--drop) return ;;
    *:--socket) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return ;;
    *:--container) return ;;
    *:--database) mapfile -t COMPREPLY < <(compgen -W 'private public' -- "$cur"); return ;;
  esac
  case $verb in
    save)
      if [[ $cur == -* ]]; then mapfile -t COMPREPLY < <(compgen -W '--name --tag --zone --policy --idempotency-key --socket --container --database --json --no-progress --help' -- "$cur")
      fi
      ;;
    fetch)
      if [[ $cur == -* ]]; then mapfile -t COMPREPLY < <(compgen -W '--type --zone --fields --socket --container --database --json --no-progress --help' -- "$cur")
      fi
      ;;
    query)
      if [[ $cur == -* ]]; then mapfile -t COMPREPLY < <(compgen -W '--where --arg --arg-json --var --filter-by --zone --fields --sort --limit --all --count --include --section-by --index-title --from-title --sections --explain --socket --container --database --json --no-progress --help' -- "$cur")
      fi
      ;;
    count)
      if [[ $cur == -* ]]; then mapfile -t COMPREPLY < <(compgen -W '--where --arg --arg-json --var --filter-by --zone --explain --socket --container --database --json --no-progress --help' -- "$cur")
      fi
      ;;
    distinct)
      if [[ $cur == -* ]]; then mapfile -t COMPREPLY < <(compgen -W '--where --arg --arg-json --var --filter-by --zone --limit --all --explain --socket --container --database --json --no-progress --help' -- "$cur")
      fi
      ;;
    aggregate)
      if [[ $cur == -* ]]; then mapfile -t COMPREPLY < <(compgen -W '--where --arg --arg-json --var --filter-by --zone --group-by --limit --explain --socket --container --database --json --no-progress --help' -- "$cur")
      fi
      ;;
    delete)
      if [[ $cur == -* ]]; then mapfile -t COMPREPLY < <(compgen -W '--type --zone --tag --ignore-missing --idempotency-key --socket --container --database --json --no-progress --help' -- "$cur")
      fi
      ;;
    deleted)
      if [[ $cur == -* ]]; then mapfile -t COMPREPLY < <(compgen -W '--type --zone --limit --socket --container --database --json --no-progress --help' -- "$cur")
      fi
      ;;
    restore)
      if [[ $cur == -* ]]; then mapfile -t COMPREPLY < <(compgen -W '--zone --tag --with-cascade --socket --container --database --json --no-progress --help' -- "$cur")
      fi
      ;;
    history)
      if [[ $cur == -* ]]; then mapfile -t COMPREPLY < <(compgen -W '--zone --fields --limit --socket --container --database --json --no-progress --help' -- "$cur")
      fi
      ;;
    watch)
      if [[ $cur == -* ]]; then mapfile -t COMPREPLY < <(compgen -W '--where --arg --arg-json --var --filter-by --zone --record --fields --include --previous --fires-on --watch-keys --once --initial --since --state --sort --section-by --index-title --limit --count-only --subscription --exec --count --no-reconnect --socket --container --database --json --no-progress --help' -- "$cur")
      fi
      ;;
    changes)
      if [[ $cur == -* ]]; then mapfile -t COMPREPLY < <(compgen -W '--zone --fields --previous --since --state --socket --container --database --json --no-progress --help' -- "$cur")
      fi
      ;;
    subscriptions)
      if [[ $cur == -* ]]; then mapfile -t COMPREPLY < <(compgen -W '--where --arg --arg-json --var --filter-by --zone --record --fields --include --previous --fires-on --watch-keys --once --initial --since --ignore-missing --socket --container --database --json --no-progress --help' -- "$cur")
      else mapfile -t COMPREPLY < <(compgen -W 'show save delete' -- "$cur")
      fi
      ;;
    zones)
      if [[ $cur == -* ]]; then mapfile -t COMPREPLY < <(compgen -W '--ignore-missing --socket --container --database --json --no-progress --help' -- "$cur")
      else mapfile -t COMPREPLY < <(compgen -W 'save delete' -- "$cur")
      fi
      ;;
    containers)
      if [[ $cur == -* ]]; then mapfile -t COMPREPLY < <(compgen -W '--socket --container --database --json --no-progress --help' -- "$cur")
      else mapfile -t COMPREPLY < <(compgen -W 'delete' -- "$cur")
      fi
      ;;
    check)
      if [[ $cur == -* ]]; then mapfile -t COMPREPLY < <(compgen -W '--assets --socket --container --database --json --no-progress --help' -- "$cur")
      fi
      ;;
    repair)
      if [[ $cur == -* ]]; then mapfile -t COMPREPLY < <(compgen -W '--dry-run --force --socket --container --database --json --no-progress --help' -- "$cur")
      fi
      ;;
    backup)
      if [[ $cur == -* ]]; then mapfile -t COMPREPLY < <(compgen -W '--socket --container --database --json --no-progress --help' -- "$cur")
      else compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -d -- "$cur")
      fi
      ;;
    restore-backup)
      if [[ $cur == -* ]]; then mapfile -t COMPREPLY < <(compgen -W '--replace --socket --container --database --json --no-progress --help' -- "$cur")
      else compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -d -- "$cur")
      fi
      ;;
    asset)
      if [[ $cur == -* ]]; then mapfile -t COMPREPLY < <(compgen -W '--output --zone --socket --container --database --json --no-progress --help' -- "$cur")
      else compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur")
      fi
      ;;
    import)
      if [[ $cur == -* ]]; then mapfile -t COMPREPLY < <(compgen -W '--type --zone --name-from --rename --reference --fields --convert --at --format --policy --assets --dry-run --report --resume --socket --container --database --json --no-progress --help' -- "$cur")
      else compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur")
      fi
      ;;
    export)
      if [[ $cur == -* ]]; then mapfile -t COMPREPLY < <(compgen -W '--where --arg --arg-json --var --filter-by --zone --all --fields --sort --format --assets --output --socket --container --database --json --no-progress --help' -- "$cur")
      fi
      ;;
    schema)
      if [[ $cur == -* ]]; then mapfile -t COMPREPLY < <(compgen -W '--ckdb --socket --container --database --json --no-progress --help' -- "$cur")
      fi
      ;;
    declare)
      if [[ $cur == -* ]]; then mapfile -t COMPREPLY < <(compgen -W '--index --no-indexes --automatic-indexes --delete --ckdb --schema --required --unique --default --min --max --pattern --merge --no-rule --rename --retype --drop --accept-loss --dry-run --socket --container --database --json --no-progress --help' -- "$cur")
      fi
      ;;
    call)
      if [[ $cur == -* ]]; then mapfile -t COMPREPLY < <(compgen -W '--socket --container --database --json --no-progress --help' -- "$cur")
      fi
      ;;
    status)
      if [[ $cur == -* ]]; then mapfile -t COMPREPLY < <(compgen -W '--socket --container --database --json --no-progress --help' -- "$cur")
      fi
      ;;
    completion)
      if [[ $cur == -* ]]; then mapfile -t COMPREPLY < <(compgen -W '--socket --container --database --json --no-progress --help' -- "$cur")
      else mapfile -t COMPREPLY < <(compgen -W 'bash zsh fish' -- "$cur")
      fi
      ;;
    manual)
      if [[ $cur == -* ]]; then mapfile -t COMPREPLY < <(compgen -W '--socket --container --database --json --no-progress --help' -- "$cur")
      fi
      ;;
    *)
      if [[ $cur == -* ]]; then mapfile -t COMPREPLY < <(compgen -W '--socket --container --database --json --no-progress --help --version' -- "$cur")
      else mapfile -t COMPREPLY < <(compgen -W 'save fetch query count distinct aggregate delete deleted restore history watch changes subscriptions zones containers check repair backup restore-backup asset import export schema declare call status completion manual' -- "$cur")
      fi
      ;;
  esac
}
complete -F _listsrpc listsrpc
