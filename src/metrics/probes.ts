import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http'
import { isSameSecret } from '../common/same-secret.ts'

/** Gathers all metrics, in the text format of Prometheus. */
export type MetricsText = () => Promise<string>

interface ProbeDeps {
  /** Whether requests can be served: the database answers, and the server is not stopping. */
  isReady: () => Promise<boolean>
  metrics: MetricsText | undefined
  /** The bearer token for `/metrics` on the main port; absent: the path is unknown there. */
  token: string | undefined
  /** Counts a request of a client; returns the seconds until it may send another, 0 if it may now. */
  secondsToWait: (req: IncomingMessage) => number
}

/**
 * Answers `/livez`, `/readyz` and, with a token, `/metrics`, without a line in the log; passes other requests to `handle`.
 * Requests that query the database count for `RATE_LIMIT_ADDRESS`.
 */
export function withProbes(
  handle: RequestListener,
  { isReady, metrics, token, secondsToWait }: ProbeDeps,
): RequestListener {
  return (req, res) => {
    const isMetrics = req.url === '/metrics' && metrics !== undefined && token !== undefined
    if (req.method !== 'GET' && req.method !== 'HEAD') return handle(req, res)
    if (isMetrics || req.url === '/readyz') {
      const seconds = secondsToWait(req)
      if (seconds > 0)
        return answer(res, 429, 'too many requests, try again later\n', { 'Retry-After': String(seconds) })
    }
    if (answerProbe(req, res, isReady)) return
    if (!isMetrics) return handle(req, res)
    if (!isBearer(req, token))
      return answer(res, 401, 'this needs METRICS_TOKEN\n', { 'WWW-Authenticate': 'Bearer' })
    return sendMetrics(res, metrics)
  }
}

/** A server for `/metrics`, `/livez` and `/readyz` alone (`METRICS_PORT`). */
export function createMetricsServer({ metrics, isReady }: Pick<ProbeDeps, 'metrics' | 'isReady'>): Server {
  return createServer((req, res) => {
    if (req.method === 'GET' && req.url === '/metrics' && metrics) sendMetrics(res, metrics)
    else if (!answerProbe(req, res, isReady))
      answer(res, 404, 'only GET /metrics, /livez and /readyz are here\n')
  })
}

/** Answers `/livez` and `/readyz`; false for anything else. */
function answerProbe(
  { method, url }: IncomingMessage,
  res: ServerResponse,
  isReady: ProbeDeps['isReady'],
): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false
  if (url === '/livez') answer(res, 200, 'ok\n')
  else if (url === '/readyz')
    void isReady().then((ready) => answer(res, ready ? 200 : 503, ready ? 'ok\n' : 'not ready\n'))
  else return false
  return true
}

const textFormat = 'text/plain; version=0.0.4; charset=utf-8'

function sendMetrics(res: ServerResponse, metrics: MetricsText): void {
  metrics().then(
    (text) => answer(res, 200, text, { 'Content-Type': textFormat }),
    () => answer(res, 500, 'the metrics cannot be gathered\n'),
  )
}

function answer(
  res: ServerResponse,
  status: number,
  text: string,
  headers: Record<string, string> = {},
): void {
  const length = Buffer.byteLength(text)
  res.writeHead(status, {
    'Content-Type': 'text/plain; charset=utf-8',
    'Content-Length': length,
    'Cache-Control': 'no-store',
    ...headers,
  })
  res.end(text)
}

function isBearer(req: IncomingMessage, token: string): boolean {
  const [, bearer = ''] = /^Bearer (.+)$/i.exec(req.headers.authorization ?? '') ?? []
  return isSameSecret(bearer, token)
}
