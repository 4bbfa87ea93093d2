#!/bin/bash
# systemctl for a machine without systemd, as far as docs/operating.md uses it: it runs what the unit says.
set -eu
unit=/etc/systemd/system/forgehall.service
state=/run/forgehall
journal=/var/log/forgehall.journal

setting() { sed -n "s/^$1=//p" "$unit"; }

# Everything that the unit restricts beyond user, folder, umask and settings needs systemd.
supervise() {
  set -a
  for pair in $(setting Environment); do eval "$pair"; done
  file=$(setting EnvironmentFile); file=${file#-}
  if [ -e "$file" ]; then . "$file"; fi
  set +a
  umask "$(setting UMask)"
  while :; do
    code=0
    setpriv --reuid forgehall --regid forgehall --clear-groups --no-new-privs $(setting ExecStart) >>"$journal" 2>&1 &
    echo $! >"$state/main"
    wait $! || code=$?
    if [ -e "$state/stopping" ] || [ "$code" = "$(setting RestartPreventExitStatus)" ]; then break; fi
    sleep "$(setting RestartSec)"
  done
  rm -f "$state/main"
}

start() {
  case $1 in
    forgehall)
      id forgehall >/dev/null 2>&1 || useradd --system --no-create-home forgehall
      mkdir -p "$state" /var/lib/forgehall
      chmod "$(setting StateDirectoryMode)" /var/lib/forgehall
      chown -R forgehall: /var/lib/forgehall
      rm -f "$state/stopping"
      supervise </dev/null >/dev/null 2>&1 &
      echo $! >"$state/supervisor"
      ;;
    postgresql) for each in $(pg_lsclusters -h | awk '{print $1 "/" $2}'); do pg_ctlcluster "${each%/*}" "${each#*/}" start; done ;;
    nginx) nginx ;;
  esac
}

stop() {
  case $1 in
    forgehall)
      [ -e "$state/supervisor" ] || return 0
      touch "$state/stopping"
      if [ -e "$state/main" ]; then kill "$(cat "$state/main")" 2>/dev/null || true; fi
      timeout "$(setting TimeoutStopSec)" tail -s 0.1 --pid="$(cat "$state/supervisor")" -f /dev/null
      ;;
    postgresql) for each in $(pg_lsclusters -h | awk '{print $1 "/" $2}'); do pg_ctlcluster "${each%/*}" "${each#*/}" stop -m fast; done ;;
    nginx) if [ -s /run/nginx.pid ]; then nginx -s quit; while [ -s /run/nginx.pid ]; do sleep 0.1; done; fi ;;
  esac
}

verb=$1; shift
case $verb in
  daemon-reload) ;;
  enable) for each; do [ "$each" = --now ] || start "$each"; done ;;
  start|stop) for each; do "$verb" "$each"; done ;;
  restart) for each; do stop "$each"; start "$each"; done ;;
  kill) kill -s "${1#--signal=}" "$(cat "$state/main")" ;;
  show) cat "$state/main" ;;
  is-active) [ -e "$state/main" ] && echo active || { echo failed; exit 3; } ;;
  *) echo "this systemctl does not know $verb" >&2; exit 1 ;;
esac
