import * as v from 'valibot'
import { firstLine, read } from '../../environment.ts'
import { parseS3Url, type S3Settings } from './settings.ts'

/** The largest object that S3 takes with one PUT, in bytes. */
const maxObject = 5 * 1024 ** 3

/** The environment variables of the store. */
export const s3Variables = {
  S3_URL: v.optional(read(parseS3Url)),
  S3_REGION: v.optional(v.pipe(v.string(), v.regex(/^[\w-]{1,64}$/, 'must be letters, digits and -'))),
  S3_ACCESS_KEY_ID: v.optional(v.pipe(v.string(), v.regex(/^[!-~]{1,255}$/, 'must have no spaces'))),
  S3_SECRET_ACCESS_KEY: v.optional(v.string()),
  S3_SECRET_ACCESS_KEY_FILE: v.optional(firstLine),
}

const Variables = v.object(s3Variables)
type Values = v.InferOutput<typeof Variables>

/** Absent without `S3_URL` or without credentials. */
export function s3Of(values: Values): S3Settings | undefined {
  const { S3_URL: address, S3_ACCESS_KEY_ID: accessKeyId, S3_REGION: region } = values
  const secretAccessKey = values.S3_SECRET_ACCESS_KEY ?? values.S3_SECRET_ACCESS_KEY_FILE
  if (!address || accessKeyId === undefined || secretAccessKey === undefined) return undefined
  return { ...address, accessKeyId, secretAccessKey, region }
}

/** What is wrong with the combination of these values, as a sentence that begins with `S3_URL`. */
export function s3Fault(
  values: Values & { PACKAGE_FILE_LIMIT: number; RELEASE_FILE_LIMIT: number; ISSUE_FILE_LIMIT: number },
): string | undefined {
  if (!values.S3_URL) return undefined
  if (!s3Of(values)) return 'needs S3_ACCESS_KEY_ID, and S3_SECRET_ACCESS_KEY or S3_SECRET_ACCESS_KEY_FILE'
  const names = ['PACKAGE_FILE_LIMIT', 'RELEASE_FILE_LIMIT', 'ISSUE_FILE_LIMIT'] as const
  const large = names.find((name) => values[name] > maxObject)
  return large && `allows a ${large} of at most 5g: a store takes no more in one request`
}
