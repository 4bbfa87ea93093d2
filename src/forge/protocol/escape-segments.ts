/** Escapes the segments of a path in a URL (RFC 3986 §3.3) and keeps its slashes. */
export const escapeSegments = (path: string) => path.split('/').map(encodeURIComponent).join('/')
