/** A path inside an address (RFC 3986, section 3.3): its slashes stay. */
export const escapeSegments = (path: string) => path.split('/').map(encodeURIComponent).join('/')
