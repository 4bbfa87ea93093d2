import { parentPort } from 'node:worker_threads'
import { stackOf } from '../errors.ts'
import { render } from './render.ts'
import { type RenderOutcome, type RenderRequest, refuse } from './request.ts'

/** Handles one request at a time: the pool sends the next one after the outcome. */
parentPort?.on('message', (request: RenderRequest) => {
  parentPort?.postMessage(outcomeOf(request))
})

function outcomeOf(request: RenderRequest): RenderOutcome {
  try {
    return render(request)
  } catch (error) {
    const log = stackOf(error)
    return refuse('failed', 'the text could not be rendered', log)
  }
}
