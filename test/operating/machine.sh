#!/bin/bash
# machine.sh FOLDER: boots systemd on a copy of this machine in namespaces of its own (files, processes, network, host name)
# and runs FOLDER/commands.sh there as root. Nothing that it writes, starts or listens on exists outside, and all of it is
# gone at the end. Output goes to FOLDER/out/log, the exit code to FOLDER/out/code.
set -euo pipefail
folder=$1
export PATH=$PATH:/usr/sbin:/sbin

# Outside: a control group of its own, which becomes the root of those that systemd makes.
if [ "${2:-}" != inside ]; then
  groups=$(findmnt --noheadings --types cgroup2 --output TARGET | head -n 1)$(sed -n 's/^0:://p' /proc/self/cgroup)
  own=$groups/forgehall-operating-$$
  mkdir "$own"
  echo $$ >"$own/cgroup.procs"
  unshare --mount --net --pid --cgroup --uts --ipc --fork --kill-child bash "$0" "$folder" inside || true
  echo $$ >"$groups/cgroup.procs"
  until find "$own" -depth -type d -exec rmdir {} + 2>/dev/null; do sleep 0.1; done
  exit
fi

mount -t tmpfs -o size=2g tmpfs "$folder/machine"
cd "$folder/machine"
mkdir upper work root
mount -t overlay overlay -o lowerdir=/,upperdir=upper,workdir=work root
mount --make-rshared root # as on a booted machine: what is mounted later appears in services too
mount -t proc proc root/proc
mount -t sysfs sysfs root/sys
mount -t cgroup2 cgroup2 root/sys/fs/cgroup
mount -t tmpfs -o mode=755 tmpfs root/dev
for each in null zero full random urandom tty; do touch "root/dev/$each"; mount --bind "/dev/$each" "root/dev/$each"; done
ln -s /proc/self/fd root/dev/fd
ln -s full root/dev/console # systemd writes nowhere else
mkdir root/dev/shm root/dev/pts # services with devices of their own get these terminals, too
mount -t devpts -o newinstance,ptmxmode=0666,mode=620 devpts root/dev/pts
ln -s pts/ptmx root/dev/ptmx
mount -t tmpfs tmpfs root/dev/shm
mount -t tmpfs tmpfs root/tmp
mount -t tmpfs -o mode=755 tmpfs root/run
ip link set lo up

# As on a machine that was just installed.
rm -rf root/etc/systemd/system/* root/etc/forgehall.env root/opt/forgehall root/var/lib/forgehall root/backup
rm -rf root/etc/nginx/conf.d/* root/etc/nginx/sites-enabled/*
if getent passwd forgehall >/dev/null; then chroot root userdel forgehall; fi
mkdir -p root/root/forgehall root/usr/local/bin root/var/log/journal root/out
mount --bind "$folder/out" root/out
cp -r "$folder"/release/. root/root/forgehall
cp "$folder/commands.sh" root/root/commands.sh

# Packages are looked up in the lists that this machine has, and not installed: the namespace has no network.
printf '#!/bin/sh\nexec /usr/bin/apt-get --simulate "$@"\n' >root/usr/local/bin/apt-get
# The clock belongs to all machines of this kernel: `date --set` sets that of the service, by Debian's package faketime.
cat >root/usr/local/bin/date <<'END_OF_DATE'
#!/bin/sh
[ "$1" = --set ] || exec /bin/date "$@"
echo "$(($(/bin/date --date "$2" +%s) - $(/bin/date +%s) + $(cat /run/clock)))" | sed '/^[0-9]/s/^/+/' >/run/clock.new
mv /run/clock.new /run/clock
END_OF_DATE
chmod 755 root/usr/local/bin/apt-get root/usr/local/bin/date
echo +0 >root/run/clock
mkdir root/etc/systemd/system/forgehall.service.d
cat >root/etc/systemd/system/forgehall.service.d/clock.conf <<END_OF_UNIT
[Service]
Environment=LD_PRELOAD=/usr/lib/$(uname -m)-linux-gnu/faketime/libfaketimeMT.so.1
Environment=FAKETIME_TIMESTAMP_FILE=/run/clock FAKETIME_CACHE_DURATION=1 FAKETIME_DONT_FAKE_MONOTONIC=1
END_OF_UNIT

cat >root/etc/systemd/system/commands.service <<'END_OF_UNIT'
[Service]
Type=oneshot
TimeoutStartSec=15min
Environment=HOME=/root LC_ALL=C.UTF-8
ExecStart=-/bin/bash -c 'bash /root/commands.sh >>/out/log 2>&1; echo $$? >/out/code'
ExecStopPost=/bin/sh -c 'journalctl --no-pager >/out/journal; systemctl --force --force poweroff'
END_OF_UNIT
# Until systemd-user-sessions.service has run, PAM lets nobody but root in.
cat >root/etc/systemd/system/default.target <<'END_OF_UNIT'
[Unit]
Requires=basic.target systemd-user-sessions.service commands.service
END_OF_UNIT
exec setpriv --bounding-set=-sys_time chroot root env -i container=other SYSTEMD_PROC_CMDLINE=systemd.unified_cgroup_hierarchy=1 \
  /lib/systemd/systemd --show-status=no
