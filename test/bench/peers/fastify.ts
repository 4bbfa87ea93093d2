import fastify from 'fastify'
import pg from 'pg'

// The same three operations on the same tables, as a good engineer would write them with Fastify and pg: declared
// schemas (compiled serializers), prepared statements, a pool of ten connections, the statements of one page in
// parallel. Its log is off, which is its default and favours it.

// Counts and ids fit a number.
pg.types.setTypeParser(20, Number)

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL ?? '', max: 10 })
const app = fastify()

const post = {
  type: 'object',
  properties: {
    id: { type: 'integer' },
    title: { type: 'string' },
    content: { type: 'string' },
    created_at: { type: 'string', format: 'date-time' },
  },
} as const

const limit = { type: 'integer', minimum: 1, maximum: 100, default: 20 } as const

app.get<{ Querystring: { limit: number } }>(
  '/api/news',
  {
    schema: {
      querystring: { type: 'object', properties: { limit } },
      response: { 200: { type: 'array', items: post } },
    },
  },
  async ({ query }) => {
    const text =
      'select id, title, content, created_at from site.news_post order by created_at desc, id desc limit $1'
    return await rowsOf('newest', text, [query.limit])
  },
)

app.post<{ Body: { title: string; content: string } }>(
  '/api/news',
  {
    schema: {
      body: {
        type: 'object',
        required: ['title', 'content'],
        properties: { title: { type: 'string', minLength: 1 }, content: { type: 'string', minLength: 1 } },
      },
      response: { 201: post },
    },
  },
  async ({ body }, reply) => {
    const text =
      'insert into site.news_post (title, content, created_at) values ($1, $2, $3) returning id, title, content, created_at'
    const [inserted] = await rowsOf('insert', text, [body.title, body.content, new Date()])
    reply.code(201)
    return inserted
  },
)

app.get('/api/stats/overview', async () => {
  const [currentUsers, recentActivity, [newest], [count], statistics] = await Promise.all([
    rowsOf(
      'online',
      `select visitor.id, visitor.username, session.started_at
       from site.session join site.visitor on visitor.id = session.visitor_id
       where session.ended_at is null
       order by session.started_at desc, session.id desc limit 20`,
    ),
    rowsOf(
      'activity',
      'select id, description, created_at from site.activity_entry order by created_at desc, id desc limit 20',
    ),
    rowsOf('member', 'select id, username from site.visitor order by joined_at desc, id desc limit 1'),
    rowsOf('count', 'select count(*) as total from site.visitor'),
    rowsOf('statistics', 'select key, value from site.statistic'),
  ])
  const by = Object.fromEntries(statistics.map(({ key, value }) => [key, value]))
  return {
    currentUsers,
    recentActivity,
    general: {
      users: { total: count?.total, mostRecent: newest ?? null },
      reports: {
        named: by.reports_named ?? '0',
        associated: by.reports_associated ?? '0',
        logged: by.reports_logged ?? '0',
      },
      build: {
        pipeline: by.build_pipeline ?? 'unknown',
        buildNumber: by.build_number ?? '0',
        version: by.version ?? '0.0.0',
      },
    },
  }
})

app.get('/api/health', async () => {
  await pool.query('select 1')
  return { ok: true }
})

/** A named statement is prepared once for each connection. */
async function rowsOf(
  name: string,
  text: string,
  values: unknown[] = [],
): Promise<Record<string, unknown>[]> {
  const { rows } = await pool.query({ name, text, values })
  return rows
}

process.once('SIGTERM', () => {
  void app.close().then(() => pool.end())
})
await app.listen({ port: Number(process.env.PORT), host: '127.0.0.1' })
