import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { done } from '../../common/outcome.ts'
import type { Git } from '../program/git.ts'
import { fault } from '../program/outcome.ts'
import { hookFault, hooksFolder } from '../program/pre-receive.ts'
import { appliedUpdates } from './applied-updates.ts'
import type { Call, ExchangeResult } from './call.ts'
import type { Exchange, PushRules } from './exchange.ts'
import { createReportReader, refusalReport } from './push-report.ts'
import { isHiddenRef, type PushRequest, pushRefusal, readPushRequest } from './push-request.ts'
import { relay } from './relay.ts'

interface PushCall {
  exchange: Exchange
  call: Call
  body: Readable
  rules: PushRules
  maxBytes: number
}

export async function push(git: Git, pushing: PushCall): Promise<ExchangeResult> {
  const { call, body, rules } = pushing
  const request = await readPushRequest(body)
  if (!request && call.signal.aborted) return call.fail(fault('cancelled', 'the push did not begin').fault)
  if (!request) return call.refuse({ status: 400, sentence: 'this is no list of refs to push' })
  // A client sends this first to find out whether it must authenticate.
  if (request.updates.length === 0) return call.answer(Buffer.alloc(0), resultType)
  call.requestRead()
  const updates = request.updates.filter(({ ref }) => !isHiddenRef(ref))
  const sentence = pushRefusal(request) ?? (await rules.check?.(updates, request.options))
  return sentence === undefined
    ? receive(git, pushing, { ...request, updates })
    : call.answer(refusalReport(request, sentence), resultType)
}

async function receive(git: Git, { exchange, call, body, rules, maxBytes }: PushCall, request: PushRequest) {
  const { repository, req, res } = exchange
  const unusable = await hookFault(git.home)
  if (unusable) return call.fail(unusable)
  const settings = [
    `core.hooksPath=${hooksFolder(git.home)}`,
    `receive.maxInputSize=${maxBytes}`,
    `receive.unpackLimit=${unpackLimit(req)}`,
  ]
  const args = [...settings.flatMap((setting) => ['-c', setting]), 'receive-pack', '--stateless-rpc', '.']
  const mayMove = rules.mayMove ?? (async () => undefined)
  const options = {
    signal: call.signal,
    environment: limitedMemory,
    beforeGit: exchange.beforeGit,
    mayMove,
  }
  const opened = await git.stream(repository, args, options).catch(async (error: unknown) => {
    await rules.untouched?.()
    throw error
  })
  if (!opened.ok) {
    await rules.untouched?.()
    return call.fail(opened.fault)
  }
  call.gitStarted(opened.value)
  const report = createReportReader(request)
  const ended = await relay({ running: opened.value, body, res, contentType: resultType, tap: report.read })
  const reported = report.updated()
  const updates = reported
    ? done(reported)
    : await appliedUpdates({ git, directory: repository }, request.updates)
  const isReported = reported !== undefined
  if (updates.ok)
    await (updates.value.length > 0 ? rules.updated?.(updates.value, isReported) : rules.untouched?.())
  return call.finish(ended.fault)
}

/**
 * Number of objects below which git unpacks a push into loose files. A large push is kept as the pack that arrived,
 * regardless of the number of objects: packing large objects again for each clone takes several times as long as
 * sending them packed. Git clients send no length for more than a megabyte (`http.postBuffer`).
 */
const unpackLimit = ({ headers }: IncomingMessage): number =>
  Number(headers['content-length'] ?? Number.POSITIVE_INFINITY) > 1_000_000 ? 1 : 100

/**
 * Maximum size of a single memory allocation of git during a push. Seven bytes of a delta expand to 16 MB, so a pack of
 * some kilobytes could fill the memory of any machine. Standard clients send no deltas of files larger than 512 MiB
 * (`core.bigFileThreshold`), and git streams whole files.
 */
const limitedMemory = { GIT_ALLOC_LIMIT: '1g' }

const resultType = 'application/x-git-receive-pack-result'
