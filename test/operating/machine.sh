#!/bin/bash
# machine.sh FOLDER: runs FOLDER/commands.sh on a copy of this machine, as root, in namespaces of its own: files, processes
# and network. Nothing that it writes, starts or listens on exists outside, and all of it is gone at the end.
set -euo pipefail
folder=$1
export PATH=$PATH:/usr/sbin:/sbin
mount -t tmpfs -o size=3g tmpfs "$folder/machine"
cd "$folder/machine"
mkdir upper work root
mount -t overlay overlay -o lowerdir=/,upperdir=upper,workdir=work root
mount -t proc proc root/proc
mount --rbind /dev root/dev
mount -t tmpfs tmpfs root/tmp
mount -t tmpfs tmpfs root/run
ip link set lo up
rm -rf root/etc/systemd/system/forgehall.service root/etc/forgehall.env root/opt/forgehall root/var/lib/forgehall root/backup
rm -f root/etc/nginx/conf.d/* root/etc/nginx/sites-enabled/*
mkdir -p root/root/forgehall root/usr/local/bin root/run/postgresql
chmod 1777 root/tmp
chmod 2775 root/run/postgresql; chown postgres:postgres root/run/postgresql
cp -r "$folder"/release/. root/root/forgehall
install -m 755 "$folder/systemctl.sh" root/usr/local/bin/systemctl
install -m 755 "$folder/journalctl.sh" root/usr/local/bin/journalctl
cp "$folder/commands.sh" root/root/commands.sh
exec chroot root env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
  bash /root/commands.sh
