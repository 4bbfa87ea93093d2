import { banded, flush, PacketReader, packet } from './pkt-line.ts'
import { type PushRequest, printable, type RefUpdate } from './push-request.ts'

/** Reads git's answer to a push as it passes. */
export interface ReportReader {
  read: (chunk: Buffer) => void
  /** What was done; undefined when the report has not come to its end. */
  updated: () => RefUpdate[] | undefined
}

/** For the answer to `request`: `report-status`, in a side band when one was agreed on (gitprotocol-pack(5)). */
export function createReportReader({ updates, capabilities }: PushRequest): ReportReader {
  const outer = new PacketReader()
  const inner = new PacketReader()
  const done = new Set<string>()
  let begun = false
  let complete = false
  const report = (reader: PacketReader, chunk: Buffer) => {
    for (const line of reader.read(chunk)) {
      if (line.kind === 'flush') complete = begun
      if (line.kind !== 'data' || complete) continue
      const words = line.payload.toString('utf8')
      // What begins otherwise is a report in a form that git was asked for and we were not told of.
      begun ||= words.startsWith('unpack ')
      const ref = /^ok (.+?)\n?$/.exec(words)?.[1]
      if (ref !== undefined) done.add(ref)
    }
  }
  const unband = (chunk: Buffer) => {
    for (const band of outer.read(chunk)) {
      if (band.kind === 'data' && band.payload[0] === 1) report(inner, band.payload.subarray(1))
    }
  }
  return {
    read: (chunk) => (isBanded(capabilities) ? unband(chunk) : report(outer, chunk)),
    updated: () => (complete ? updates.filter(({ ref }) => done.has(ref)) : undefined),
  }
}

/**
 * The answer to a push that is refused as a whole: the client prints the sentence as `remote: …` and shows each ref as
 * rejected. A client that wants no report gets the error packet.
 */
export function refusal({ updates, capabilities }: PushRequest, sentence: string): Buffer {
  const words = printable(sentence)
  if (!capabilities.has('report-status') && !capabilities.has('report-status-v2'))
    return packet(`ERR ${words}\n`)
  const lines = updates.map(({ ref }) => packet(`ng ${ref} refused\n`))
  const report = Buffer.concat([packet('unpack ok\n'), ...lines, flush])
  if (!isBanded(capabilities)) return report
  const pieces: Buffer[] = [banded(2, `${words}\n`)]
  // A side band packet is smaller than what it carries may be.
  for (let at = 0; at < report.length; at += 900) pieces.push(banded(1, report.subarray(at, at + 900)))
  return Buffer.concat([...pieces, flush])
}

const isBanded = (capabilities: ReadonlySet<string>) =>
  capabilities.has('side-band-64k') || capabilities.has('side-band')
