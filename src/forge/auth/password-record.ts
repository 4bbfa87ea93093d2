import { trimEnd } from '../../common/trim.ts'

/** The cost of one scrypt run (RFC 7914): 2^`ln` blocks of 128·`r` bytes, `p` times. */
export interface Cost {
  readonly ln: number
  readonly r: number
  readonly p: number
}

/** A stored password: cost, salt and hash. */
interface PasswordRecord {
  readonly cost: Cost
  readonly salt: Buffer
  readonly hash: Buffer
}

/** Upper limits. A record beyond them was not written by this program, and checking it could exhaust our memory. */
const MAX_COST: Cost = { ln: 20, r: 16, p: 16 }

const RECORD =
  /^\$scrypt\$ln=([1-9]\d?),r=([1-9]\d?),p=([1-9]\d?)\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{22,86})$/

/** The record as one text in the PHC string format: `$scrypt$ln=15,r=8,p=3$<salt>$<hash>`, base64 without padding. */
export function formatRecord({ cost, salt, hash }: PasswordRecord): string {
  return `$scrypt$ln=${cost.ln},r=${cost.r},p=${cost.p}$${base64(salt)}$${base64(hash)}`
}

/** Parses a stored record; undefined for any other text, the empty one included. */
export function parseRecord(text: string): PasswordRecord | undefined {
  const [, ln, r, p, salt = '', hash = ''] = RECORD.exec(text) ?? []
  const cost: Cost = { ln: Number(ln), r: Number(r), p: Number(p) }
  // NaN, from a text that did not match, fails every comparison.
  if (!(cost.ln <= MAX_COST.ln && cost.r <= MAX_COST.r && cost.p <= MAX_COST.p)) return undefined
  return { cost, salt: Buffer.from(salt, 'base64'), hash: Buffer.from(hash, 'base64') }
}

function base64(bytes: Buffer): string {
  return trimEnd(bytes.toString('base64'), '=')
}
