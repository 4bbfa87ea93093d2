import type { Exchange } from './exchange.ts'
import { type Reply, withoutHeaders } from './reply.ts'

const cacheControl = new Set(['Cache-Control'])

/**
 * The reply with `Cache-Control: private, no-store` if the API says that the request is somebody's own: who uses the
 * browser later must not find the answer in it (RFC 9111, section 5.2.2.5).
 */
export function personalReply({ req, profile, match }: Exchange, reply: Reply): Reply {
  const { isPersonal } = profile
  if (!isPersonal || match?.target.route.access.open || !isPersonal(req.headers)) return reply
  const headers = [...withoutHeaders(reply.headers, cacheControl), 'Cache-Control', 'private, no-store']
  return { ...reply, headers }
}
