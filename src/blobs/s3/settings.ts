import { done, failed, type Outcome } from '../../common/outcome.ts'

/** The address of an S3-compatible store, and the credentials for it. */
export interface S3Settings extends S3Address {
  accessKeyId: string
  secretAccessKey: string
  /** Absent: taken from the address of known providers, else `us-east-1`. */
  region: string | undefined
}

/** The parts of `S3_URL`. */
interface S3Address {
  /** URL of the bucket, without a slash at its end. */
  bucketUrl: string
  /** What the names of all objects begin with: empty, or with a slash at its end. */
  prefix: string
}

/**
 * Reads `https://endpoint/bucket/prefix`, or `https://bucket.endpoint` for a bucket that is part of the name of the
 * host. Other characters than these would be escaped in different ways by clients and stores.
 */
export function parseS3Url(text: string): Outcome<S3Address, string> {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !['http:', 'https:'].includes(url.protocol) || /[@?#]/.test(text))
    return failed(
      'must be an http or https address such as https://s3.example.org/bucket, without user and query',
    )
  const [bucket, ...folders] = url.pathname.split('/').filter(Boolean)
  if (!/^[\w./~-]*$/.test(url.pathname))
    return failed('must have only letters, digits and . _ ~ - in its path')
  const bucketUrl = bucket === undefined ? url.origin : `${url.origin}/${bucket}`
  return done({ bucketUrl, prefix: folders.map((each) => `${each}/`).join('') })
}
