import { parentPort } from 'node:worker_threads'
import { stackOf } from '../errors.ts'
import { render } from './render.ts'
import { type RenderOutcome, type RenderRequest, refuse } from './request.ts'

/** One request at a time comes in, its outcome goes out: the pool keeps the order. */
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
