import { brotliDecompressSync } from 'node:zlib'
import notices from 'packed:notices'

/** The notices and licences of the libraries in the built file. */
export const noticesText = (): string => brotliDecompressSync(notices.brotli()).toString()
