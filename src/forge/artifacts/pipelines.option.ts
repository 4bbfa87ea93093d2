import * as v from 'valibot'

/** The body of the call of v3 that begins an artifact. */
export const CreateFileArtifactOption = v.object({
  Name: v.string(),
  RetentionDays: v.optional(v.nullable(v.pipe(v.number(), v.integer()))),
})
