import { badRequest, Problem } from '../route/problem.ts'

/** Reads a form with files (RFC 7578) while it arrives, so that they are never in memory. */

/** Maximum bytes of what is in memory, and maximum number of parts. */
const maximum = { head: 16 * 1024, value: 4 * 1024, parts: 250 }

/** Maximum bytes of a form without its file: delimiters, heads, and other fields. */
export const MULTIPART_OVERHEAD = 64 * 1024

/** The boundary in the `Content-Type` of a form (RFC 2046, section 5.1.1); undefined for any other type. */
export function boundaryIn(contentType: string): string | undefined {
  if (!/^multipart\/form-data[ \t]*;/i.test(contentType)) return undefined
  const [, quoted, plain] = /;[ \t]*boundary=(?:"([^"]{1,70})"|([^\s";,]{1,70}))/i.exec(contentType) ?? []
  return quoted ?? plain
}

/** What a form has besides the bytes of its file. */
interface Form {
  /** The content of a second, small file; undefined: the form has none. */
  smallFile: Buffer | undefined
  /** The name that the client gives the first file; "" if it gives none. */
  fileName: string
  /** The fields without a file, the first one of each name. */
  fields: ReadonlyMap<string, string>
}

/** What else than its first file a form may have. */
interface FormOptions {
  /** A second field with one small file, and the maximum bytes of that. */
  small?: { field: string; bytes: number }
  /** Whether its field may have several files, or none. */
  hasSeveralFiles?: boolean
  /** Maximum bytes of all fields without a file together; absent: a bound of each applies. */
  values?: number | undefined
}

/** Bytes of one of the files of a form. */
interface FilePart {
  /** Its place among the files of its field, from 0. */
  file: number
  bytes: Buffer
}

/** Reads a form chunk by chunk. */
export class MultipartReader {
  readonly #delimiter: Buffer
  readonly #fileField: string
  #state: 'skipped' | 'delimited' | 'head' | 'file' | 'small file' | 'value' | 'end' = 'skipped'
  /** The bytes that have arrived and are not yet read. The first delimiter may be the beginning of the body. */
  #rest: Buffer = Buffer.from('\r\n')
  #parts = 0
  readonly #fileNames: string[] = []
  #field = ''
  #value = ''
  readonly #fields = new Map<string, string>()

  #valueBytes = 0
  readonly #options: FormOptions
  #smallFile: Buffer | undefined

  /** `fileField`: the name of the field with the file or the files. */
  constructor(boundary: string, fileField: string, options: FormOptions = {}) {
    this.#delimiter = Buffer.from(`\r\n--${boundary}`, 'latin1')
    this.#fileField = fileField
    this.#options = options
  }

  /** The fields that have arrived so far, the first one of each name. */
  get fields(): ReadonlyMap<string, string> {
    return this.#fields
  }

  /** The names of the files that have begun to arrive, "" where the client gives none. */
  get fileNames(): readonly string[] {
    return this.#fileNames
  }

  /** Reads the next chunk, and returns what it has of the files. @throws Problem 400 */
  push(chunk: Buffer): FilePart[] {
    this.#rest = Buffer.concat([this.#rest, chunk])
    const parts: FilePart[] = []
    while (this.#step(parts));
    return parts
  }

  /** The whole form. @throws Problem 400 it is cut off, or has no file */
  finish(): Form {
    if (this.#state !== 'end') throw badRequest('the form ended too early')
    const [fileName] = this.#fileNames
    if (fileName === undefined && !this.#options.hasSeveralFiles)
      throw badRequest(`the form has no file ${this.#fileField}`)
    return { fileName: fileName ?? '', fields: this.#fields, smallFile: this.#smallFile }
  }

  /** Reads the next part of the form; false if more bytes must arrive first. */
  #step(parts: FilePart[]): boolean {
    switch (this.#state) {
      case 'delimited':
        return this.#readDelimiterLine()
      case 'head':
        return this.#readHead()
      case 'end':
        this.#rest = Buffer.alloc(0)
        return false
      default:
        return this.#readContent(parts)
    }
  }

  /** Reads up to the next delimiter. The last bytes that have arrived may be the beginning of one. */
  #readContent(parts: FilePart[]): boolean {
    const at = this.#rest.indexOf(this.#delimiter)
    const end = at < 0 ? Math.max(0, this.#rest.length - this.#delimiter.length + 1) : at
    const content = this.#rest.subarray(0, end)
    if (this.#state === 'file' && end > 0) parts.push({ file: this.#fileNames.length - 1, bytes: content })
    if (this.#state === 'value') this.#addToValue(content)
    if (this.#state === 'small file') this.#addToSmallFile(content)
    this.#rest = this.#rest.subarray(at < 0 ? end : at + this.#delimiter.length)
    if (at < 0) return false
    if (this.#state === 'value' && !this.#fields.has(this.#field))
      this.#fields.set(this.#field, Buffer.from(this.#value, 'latin1').toString('utf8'))
    this.#state = 'delimited'
    return true
  }

  /** Reads each byte as a character until the value is complete: a chunk may end within a character. */
  #addToValue(content: Buffer): void {
    const { values } = this.#options
    this.#valueBytes += content.length
    if (values !== undefined && this.#valueBytes > values)
      throw new Problem(413, `the fields of the form are longer than ${values} bytes`)
    if (values === undefined && this.#value.length + content.length > maximum.value)
      throw badRequest(`a field of the form is longer than ${maximum.value} bytes`)
    this.#value += content.toString('latin1')
  }

  #addToSmallFile(content: Buffer): void {
    const { field = '', bytes = 0 } = this.#options.small ?? {}
    const file = Buffer.concat([this.#smallFile ?? Buffer.alloc(0), content])
    if (file.length > bytes) throw badRequest(`${field} has more than ${bytes} bytes`)
    this.#smallFile = file
  }

  #readDelimiterLine(): boolean {
    if (this.#rest.length < 2) return false
    if (this.#rest.subarray(0, 2).toString('latin1') === '--') {
      this.#state = 'end'
      return true
    }
    const end = this.#rest.indexOf('\r\n')
    const padding = this.#rest.subarray(0, end < 0 ? this.#rest.length : end).toString('latin1')
    if (padding.length > maximum.value || /[^ \t\r]/.test(padding))
      throw badRequest('the form cannot be read')
    if (end < 0) return false
    if (++this.#parts > maximum.parts) throw badRequest(`the form has more than ${maximum.parts} parts`)
    // A head without lines ends with the line break of the delimiter.
    this.#rest = this.#rest.subarray(end)
    this.#state = 'head'
    return true
  }

  #readHead(): boolean {
    const end = this.#rest.indexOf('\r\n\r\n')
    if ((end < 0 ? this.#rest.length : end) > maximum.head) throw badRequest('a head of the form is too long')
    if (end < 0) return false
    this.#begin(this.#rest.subarray(0, end).toString('utf8'))
    this.#rest = this.#rest.subarray(end + 4)
    return true
  }

  #begin(head: string): void {
    const disposition = /\r\ncontent-disposition:(.*)/i.exec(head)?.[1] ?? ''
    this.#field = parameterIn(disposition, 'name') ?? ''
    const fileName = parameterIn(disposition, 'filename')
    this.#value = ''
    const isFile = this.#field === this.#fileField
    const { small, hasSeveralFiles } = this.#options
    if (isFile && !hasSeveralFiles && this.#fileNames.length > 0)
      throw badRequest(`the form has several files ${this.#fileField}`)
    if (isFile) this.#fileNames.push(fileName ?? '')
    const isSmall = this.#field === small?.field && this.#smallFile === undefined
    this.#state = isFile ? 'file' : fileName === undefined ? 'value' : isSmall ? 'small file' : 'skipped'
  }
}

/** A parameter of `Content-Disposition`, quoted or not; undefined if it is absent. */
function parameterIn(disposition: string, name: 'name' | 'filename'): string | undefined {
  const pattern = name === 'name' ? named : fileNamed
  const [, quoted, plain] = pattern.exec(disposition) ?? []
  return quoted?.replace(/\\(["\\])/g, '$1') ?? plain
}

const named = /;[ \t]*name=(?:"((?:[^"\\]|\\.)*)"|([^\s";]+))/i
const fileNamed = /;[ \t]*filename=(?:"((?:[^"\\]|\\.)*)"|([^\s";]+))/i
