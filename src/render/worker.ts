import { parentPort } from 'node:worker_threads'
import { stackOf } from '../errors.ts'
import { showSource } from './formats/source.ts'
import { render } from './render.ts'
import { type RenderOutcome, type RenderRequest, renderFailed, type SourceRequest } from './request.ts'

/** Handles one request at a time: the pool sends the next one after the outcome. */
parentPort?.on('message', (request: RenderRequest | SourceRequest) => {
  parentPort?.postMessage(outcomeOf(request))
})

function outcomeOf(request: RenderRequest | SourceRequest): RenderOutcome {
  try {
    return 'sourcePath' in request ? showSource(request) : render(request)
  } catch (error) {
    const log = stackOf(error)
    return renderFailed('failed', 'the text could not be rendered', log)
  }
}
