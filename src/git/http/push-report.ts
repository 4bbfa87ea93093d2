import type { RefUpdate } from '../repository/move-refs.ts'
import { banded, flush, PacketReader, packet } from './pkt-line.ts'
import { type PushRequest, printable } from './push-request.ts'

/** Reads git's report of a push while it is sent to the client. */
interface ReportReader {
  read: (chunk: Buffer) => void
  /** The updates that succeeded; undefined if the report is not complete. */
  updated: () => RefUpdate[] | undefined
}

/** Reads the answer to `request`: `report-status`, in a side band if one was negotiated (gitprotocol-pack(5)). */
export function createReportReader({ updates, capabilities }: PushRequest): ReportReader {
  const outer = new PacketReader()
  const inner = new PacketReader()
  const succeeded = new Set<string>()
  let begun = false
  let complete = false
  const report = (reader: PacketReader, chunk: Buffer) => {
    for (const line of reader.read(chunk)) {
      if (line.kind === 'flush') complete = begun
      if (line.kind !== 'data' || complete) continue
      const text = line.payload.toString('utf8')
      // Anything else is a report in a format that the client has negotiated, and that this server does not know.
      begun ||= text.startsWith('unpack ')
      const ref = /^ok (.+?)\n?$/.exec(text)?.[1]
      if (ref !== undefined) succeeded.add(ref)
    }
  }
  const unband = (chunk: Buffer) => {
    for (const band of outer.read(chunk)) {
      if (band.kind === 'data' && band.payload[0] === 1) report(inner, band.payload.subarray(1))
    }
  }
  return {
    read: (chunk) => (isBanded(capabilities) ? unband(chunk) : report(outer, chunk)),
    updated: () => (complete ? updates.filter(({ ref }) => succeeded.has(ref)) : undefined),
  }
}

/**
 * The answer to a push that is refused as a whole: the client prints the sentence as `remote: …` and shows each ref as
 * rejected. A client that does not support reports gets an error packet.
 */
export function refusalReport({ updates, capabilities }: PushRequest, sentence: string): Buffer {
  const text = printable(sentence)
  if (!capabilities.has('report-status') && !capabilities.has('report-status-v2'))
    return packet(`ERR ${text}\n`)
  const lines = updates.map(({ ref }) => packet(`ng ${ref} refused\n`))
  const report = Buffer.concat([packet('unpack ok\n'), ...lines, flush])
  if (!isBanded(capabilities)) return report
  const packets: Buffer[] = [banded(2, `${text}\n`)]
  // The report may be larger than one side-band packet.
  for (let at = 0; at < report.length; at += 900) packets.push(banded(1, report.subarray(at, at + 900)))
  return Buffer.concat([...packets, flush])
}

const isBanded = (capabilities: ReadonlySet<string>) =>
  capabilities.has('side-band-64k') || capabilities.has('side-band')
