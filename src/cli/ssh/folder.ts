/** The folder in `DATA_DIR` with the sockets of the servers for the SSH program, and the program. */
export const sshFolder = 'ssh'
