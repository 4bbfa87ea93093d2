import { type Patch, patch } from './patch.ts'

/**
 * What postgres.js 3.4.9 does wrong when a connection is lost (its issues 1133, 1193, 1216), has to take a text that is
 * larger than its buffer or is sent all it takes ahead, or when a statement cannot be written; what it lacks: an end to
 * waiting for a server that has gone silent; and what makes it slower or larger with each statement.
 * `test/cli/outage.test.ts`, `test/db/begin.test.ts` and `test/db/open.test.ts` fail without these.
 */
const connection: Patch[] = [
  {
    why: 'A statement is sent at once: put off, it would wait for all else that this turn of the event loop has to do.',
    from: `    chunk = chunk ? Buffer.concat([chunk, x]) : Buffer.from(x)
    if (fn || chunk.length >= 1024)
      return nextWrite(fn)
    nextWriteTimer === null && (nextWriteTimer = setImmediate(nextWrite))
    return true
  }

  function nextWrite(fn) {
    const x = socket.write(chunk, fn)
    nextWriteTimer !== null && clearImmediate(nextWriteTimer)
    chunk = nextWriteTimer = null
    return x
`,
    to: `    if (!socket) return true
    silent || (silent = true, silenceTimer.start())
    return socket.write(Buffer.from(x), fn)
`,
  },
  {
    why: 'A connection that has closed owes nothing.',
    from: `    clearImmediate(nextWriteTimer)
    socket.removeListener('data', data)
`,
    to: `    silent = false
    silenceTimer.cancel()
    socket.removeListener('data', data)
`,
  },
  {
    why: 'A query whose connection closes while it is made fails; only with several hosts the next one is tried.',
    from: `    if (initial)
      return reconnect()

    !hadError && (query || sent.length) && error(Errors.connection('CONNECTION_CLOSED', options, socket))
`,
    to: `    if (initial && host.length > 1)
      return reconnect()

    ;(query || initial || sent.length) && error(Errors.connection('CONNECTION_CLOSED', options, socket))
    query = results = errorResponse = stream = null
    result = new Result()
`,
  },
  {
    why: 'A server that owes an answer and says nothing for too long is gone.',
    from: `  function data(x) {
    if (incomings) {
`,
    to: `  function silence() {
    socket && socket.destroy()
  }

  function data(x) {
    silent && silenceTimer.start()
    if (incomings) {
`,
  },
  {
    why: 'One that owes nothing may be silent.',
    from: `      incoming = incoming.subarray(length + 1)
      remaining = 0
      incomings = null
    }
`,
    to: `      incoming = incoming.subarray(length + 1)
      remaining = 0
      incomings = null
    }
    silent = !!(query || initial || sent.length)
    silent || silenceTimer.cancel()
`,
  },
  {
    why: 'A stream that has room again says nothing of a transaction that waits there: nobody else may come in.',
    from: `    !query && onopen(connection)
`,
    to: `    !query && !connection.reserved && onopen(connection)
`,
  },
  {
    why: 'A transaction gets its connection also where nothing more may be sent behind its `begin`: else it has none.',
    from: `      return write(toBuffer(q))
        && !q.describeFirst
        && !q.cursorFn
        && sent.length < max_pipeline
        && (!q.options.onexecute || q.options.onexecute(connection))
`,
    to: `      const bytes = toBuffer(q)
      q.options.onexecute && q.options.onexecute(connection)
      return write(bytes)
        && !q.describeFirst
        && !q.cursorFn
        && sent.length < max_pipeline
        && !q.options.onexecute
`,
  },
  {
    why: 'A statement that cannot be written fails by itself: it owes no answer, and that before it is not its own.',
    from: `      sent.length === 0 && write(Sync)
      errored(error)
      return true
`,
    to: `      if (q === query) {
        write(Sync)
        errored(error)
      } else {
        sent.remove(q)
        queryError(q, error)
      }
      return true
`,
  },
  {
    why: 'Which arrays there are is said by an option: each new connection would ask for it, and wait.',
    from: `  const connection = {
    queue: queues.closed,
`,
    to: `  options.array_types.forEach(([oid, typarray]) => addArrayType(oid, typarray))

  const connection = {
    queue: queues.closed,
`,
  },
  {
    why: 'The clock of that silence.',
    from: `      , connectTimer = timer(connectTimedOut, options.connect_timeout)
`,
    to: `      , connectTimer = timer(connectTimedOut, options.connect_timeout)
      , silenceTimer = timer(silence, options.silence_timeout)
  let silent = false
`,
  },
]

const index: Patch[] = [
  {
    why: 'The connection that was used last: its process at the server still has all at hand. In turns, each comes to a cold one.',
    from: `    if (open.length)
      return go(open.shift(), query)
`,
    to: `    if (open.length)
      return go(open.pop(), query)
`,
  },
  {
    why: 'What a transaction still asks after its connection was lost must not run on the next one, outside of it.',
    from: `        new Promise((_, reject) => connection.onclose = reject)
`,
    to: `        new Promise((_, reject) => connection.onclose = error => {
          lost = error
          while (queries.length) queries.shift().reject(error)
          reject(error)
        })
`,
  },
  {
    why: 'The loss of that connection.',
    from: `    let savepoints = 0
      , connection
`,
    to: `    let savepoints = 0
      , lost = null
      , connection
`,
  },
  {
    why: 'The same.',
    from: `        q.catch(e => uncaughtError || (uncaughtError = e))
`,
    to: `        q.catch(e => uncaughtError || (uncaughtError = e))
        if (lost) return q.reject(lost)
`,
  },
  {
    why: 'Options of our own: seconds, and pairs of the types of an element and of its array.',
    from: `    socket          : o.socket,
`,
    to: `    socket          : o.socket,
    silence_timeout : o.silence_timeout,
    array_types     : o.array_types || [],
`,
  },
]

const queue: Patch[] = [
  {
    why: 'A queue that never runs empty (connections that are open) must not keep a place for all that ever left it.',
    from: `      if (index === xs.length) {
        index = 0
        xs = []
`,
    to: `      if (index === xs.length || (index >= 64 && index * 2 > xs.length)) {
        xs = xs.slice(index)
        index = 0
`,
  },
  {
    why: 'Nor look through them: every statement takes its connection out of a queue.',
    from: `      const index = xs.indexOf(x)
      return index === -1
        ? null
        : (xs.splice(index, 1), x)
`,
    to: `      const at = xs.indexOf(x, index)
      return at === -1
        ? null
        : (xs.splice(at, 1), x)
`,
  },
  {
    why: 'A way to take the connection that was used last.',
    from: `    shift: () => {
`,
    to: `    pop: () => {
      const out = xs.pop()
      if (index === xs.length) {
        index = 0
        xs = []
      }
      return out
    },
    shift: () => {
`,
  },
]

/** Mends postgres.js while it is bundled. */
export const postgres = patch('postgres', {
  'postgres/src/connection.js': connection,
  'postgres/src/index.js': index,
  'postgres/src/queue.js': queue,
})
