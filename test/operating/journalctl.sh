#!/bin/sh
# journalctl -u forgehall for a machine without systemd.
cat /var/log/forgehall.journal
