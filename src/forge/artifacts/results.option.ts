import * as v from 'valibot'

/** Bodies of the calls of the public artifact actions, v4: messages of Protocol Buffers in their JSON form. */

/** An integer of 64 bits, which the JSON form writes as a text. */
const int64 = v.pipe(v.union([v.string(), v.number()]), v.transform(Number), v.safeInteger(), v.minValue(0))
const ofRun = { workflow_run_backend_id: v.string() }
const named = v.object({ ...ofRun, name: v.string() })

export const CreateArtifactOption = v.object({
  ...named.entries,
  expires_at: v.optional(v.pipe(v.string(), v.isoTimestamp())),
  mime_type: v.optional(v.pipe(v.string(), v.regex(/^[\w!#$&^.+-]{1,60}\/[\w!#$&^.+-]{1,60}$/))),
})

export const FinalizeArtifactOption = v.object({
  ...named.entries,
  size: v.optional(int64, 0),
  hash: v.optional(v.pipe(v.string(), v.regex(/^sha256:[0-9a-f]{64}$/))),
})

export const ListArtifactsOption = v.object({
  ...ofRun,
  name_filter: v.optional(v.string()),
  id_filter: v.optional(int64),
})

export const NamedArtifactOption = named

/** Names of members in the JSON form may be written in camel case or as in the message. */
export function withMessageNames(body: unknown): unknown {
  if (typeof body !== 'object' || body === null) return body
  const entries = Object.entries(body).filter(([, value]) => value !== null)
  return Object.fromEntries(
    entries.map(([name, value]) => [name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), value]),
  )
}
