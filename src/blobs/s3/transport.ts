import { Agent, type IncomingMessage, request as requestHttp } from 'node:http'
import { Agent as HttpsAgent, request as requestHttps } from 'node:https'
import type { Readable } from 'node:stream'
import { AwsV4Signer } from 'aws4fetch'
import { isCertificateError, messageOf } from '../../common/errors.ts'
import { StoreError } from '../store-error.ts'
import type { S3Settings } from './settings.ts'

/** A request to the store. */
export interface S3Request {
  method: 'GET' | 'HEAD' | 'PUT' | 'DELETE'
  url: string
  /** Lower-case names. */
  headers?: Readonly<Record<string, string>>
  /** Opens the body; called again when the request is repeated. */
  body?: () => Readable
  /** Maximum time without progress until the head of the response is there, in milliseconds. */
  silence: number
}

/** The SHA-256 of no bytes. */
const emptyHash = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'

/** Signs requests (AWS Signature Version 4) and sends them over connections that are kept. */
export class S3Transport {
  readonly #settings: S3Settings
  readonly #agents = { http: new Agent({ keepAlive: true }), https: new HttpsAgent({ keepAlive: true }) }
  /** Keys for signing, which last a day. */
  readonly #keys = new Map<string, ArrayBuffer>()

  constructor(settings: S3Settings) {
    this.#settings = settings
  }

  /** Resolves with the head of the response, whose body must be read or destroyed. @throws StoreError without one */
  async send(request: S3Request): Promise<IncomingMessage> {
    const headers = await this.#sign(request)
    try {
      return await this.#sendSigned(request, headers)
    } catch (error) {
      if (error instanceof StoreError) throw error
      const kind = isCertificateError(error) ? 'denied' : 'away'
      throw new StoreError(kind, `${request.method} ${request.url}: ${reasonOf(error)}`)
    }
  }

  close(): void {
    this.#agents.http.destroy()
    this.#agents.https.destroy()
  }

  async #sign({ method, url, headers = {} }: S3Request): Promise<Record<string, string>> {
    const { accessKeyId, secretAccessKey, region } = this.#settings
    const hash = { 'x-amz-content-sha256': emptyHash }
    // A day has other keys than the day before.
    if (this.#keys.size > 2) this.#keys.clear()
    const signer = new AwsV4Signer({
      method,
      url,
      headers: { ...hash, ...headers },
      accessKeyId,
      secretAccessKey,
      service: 's3',
      cache: this.#keys,
      ...(region !== undefined && { region }),
    })
    return Object.fromEntries((await signer.sign()).headers)
  }

  #sendSigned(
    { method, url, body, silence }: S3Request,
    headers: Record<string, string>,
  ): Promise<IncomingMessage> {
    const target = new URL(url)
    const options = { method, headers, timeout: silence }
    const { http, https } = this.#agents
    return new Promise((resolve, reject) => {
      const outgoing =
        target.protocol === 'https:'
          ? requestHttps(target, { ...options, agent: https })
          : requestHttp(target, { ...options, agent: http })
      const source = body?.()
      const fail = (error: Error) => {
        source?.destroy()
        outgoing.destroy()
        reject(error)
      }
      outgoing.on('error', fail)
      outgoing.on('timeout', () => fail(new Error(`no answer within ${silence / 1000} s`)))
      outgoing.on('response', (response) => {
        outgoing.setTimeout(0)
        resolve(response)
      })
      // The only event after an answer of 101.
      outgoing.on('close', () => fail(new Error('the connection ended without an answer')))
      source?.on('error', fail)
      if (source) source.pipe(outgoing)
      else outgoing.end()
    })
  }
}

/** An error of several addresses of one host has no message, but a code. */
const reasonOf = (error: unknown) =>
  messageOf(error) || (error instanceof Error && 'code' in error ? String(error.code) : String(error))
