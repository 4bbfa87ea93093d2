import { execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freePort } from './port.ts'
import { until } from './wait.ts'

/** Debian has nginx in a folder that is not on everybody's path. */
const pathWithSbin = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` }

/** Whether both programs are there: nginx, and openssl for its certificate. */
export const hasNginx = [
  ['nginx', '-v'],
  ['openssl', 'version'],
].every(([program = '', word = '']) => spawnSync(program, [word], { env: pathWithSbin }).status === 0)

/** An nginx in front of a server. */
export interface Nginx {
  port: number
  /** The certificate, to be trusted by clients. */
  ca: string
  /** What `nginx -t` says. */
  tested: string
  close: () => Promise<void>
}

/** Starts nginx with `docs/nginx.conf` in front of servers at `http://127.0.0.1:port`. */
export async function startNginx(...servers: readonly string[]): Promise<Nginx> {
  const folder = await mkdtemp(join(tmpdir(), 'nginx-'))
  const port = await freePort()
  await makeCertificate(folder)
  const shipped = await readFile('docs/nginx.conf', 'utf8')
  await writeFile(join(folder, 'forgehall.conf'), adapt(shipped, { folder, port, servers }))
  await writeFile(join(folder, 'nginx.conf'), mainFile(folder))
  const args = ['-e', 'stderr', '-p', folder, '-c', join(folder, 'nginx.conf')]
  const { stderr } = await promisify(execFile)('nginx', [...args, '-t'], { env: pathWithSbin })
  const child = spawn('nginx', args, { env: pathWithSbin, stdio: 'ignore' })
  const ended = once(child, 'exit')
  await until('nginx listens', () => isOpen(port))
  const close = async () => {
    child.kill('SIGTERM')
    await ended
    await rm(folder, { recursive: true })
  }
  return { port, ca: await readFile(join(folder, 'cert.pem'), 'utf8'), tested: stderr, close }
}

/** A self-signed certificate for the name in the file. */
async function makeCertificate(folder: string): Promise<void> {
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  const names = ['-subj', '/CN=forge.example.org', '-addext', 'subjectAltName=DNS:forge.example.org']
  const files = ['-keyout', join(folder, 'key.pem'), '-out', join(folder, 'cert.pem')]
  await promisify(execFile)('openssl', ['req', '-x509', ...key, ...names, ...files, '-days', '2'])
}

/** A server in the `upstream`. */
const line = (address: string) => `server ${address} max_fails=0;`

/** Only addresses and files are replaced; each must be there. */
function adapt(
  shipped: string,
  { folder, port, servers }: { folder: string; port: number; servers: readonly string[] },
): string {
  const replacements = [
    [line('127.0.0.1:3000'), servers.map((each) => line(new URL(each).host)).join(' ')],
    ['listen 443 ssl http2;', `listen 127.0.0.1:${port} ssl http2;`],
    ['/etc/ssl/forge.example.org.pem', join(folder, 'cert.pem')],
    ['/etc/ssl/forge.example.org.key', join(folder, 'key.pem')],
  ] as const
  return replacements.reduce((text, [old, own]) => {
    if (!text.includes(old)) throw new Error(`docs/nginx.conf has no ${old}`)
    return text.replace(old, own)
  }, shipped)
}

function mainFile(folder: string): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${join(folder, name)};`,
  )
  // The folder is open to its owner alone, and a worker of a master that is root would be somebody else.
  const user = process.getuid?.() === 0 ? 'user root;' : ''
  return `${user} daemon off; worker_processes 1; pid ${join(folder, 'pid')};
events { worker_connections 1024; }
http { access_log off; ${temporary.join(' ')} include ${join(folder, 'forgehall.conf')}; }
`
}

function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
}
