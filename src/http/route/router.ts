export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** What the router needs of a target: its path and method. */
export interface RouteLocation {
  method: Method
  /**
   * The whole path, with parameter names in braces. The last one may have dots: `{path...}` takes all remaining segments.
   * One with an ending, `{sha}.diff`, takes a segment with that ending.
   */
  path: string
}

/** The target of a request and its path parameters, decoded. */
export interface Match<Target> {
  target: Target
  params: Readonly<Record<string, string>>
}

interface Node<Target> {
  literals: Map<string, Node<Target>>
  /** By their endings. */
  endings: Map<string, Node<Target>>
  variable: Node<Target> | undefined
  /** Takes one or more segments to the end of the path. */
  rest: Node<Target> | undefined
  methods: Map<string, Target & RouteLocation>
}

const noParams = Object.freeze({})

/**
 * A trie of path segments. A literal segment takes precedence over a variable one, and that over one that takes the
 * rest. If the literal node does not have the method, the variable is tried, so `runners/registration-token` and
 * `runners/{runner_id}` can coexist.
 */
export class Router<Target extends RouteLocation> {
  readonly #root: Node<Target> = emptyNode()
  /** Paths without variables (the majority), found with one look-up. */
  readonly #whole = new Map<string, Node<Target>>()
  readonly #reserved: ReadonlySet<string>

  /**
   * `reserved`: first segments that match no parameter.
   * @throws Error at startup if two targets have the same method and path, regardless of parameter names
   */
  constructor(targets: readonly Target[], reserved: ReadonlySet<string> = new Set()) {
    this.#reserved = reserved
    for (const target of targets) this.#add(target)
  }

  #add(target: Target): void {
    let node = this.#root
    for (const segment of segmentsOf(target.path)) node = childFor(node, segment)
    const same = node.methods.get(target.method)
    if (same) throw new Error(`Cannot route ${target.method} ${target.path}: it is ${same.path} already`)
    node.methods.set(target.method, target)
    if (!target.path.includes('{')) this.#whole.set(target.path, node)
  }

  /** The target for a method (`GET` routes also serve `HEAD`) and a raw path without its query. */
  find(method: string, path: string): Match<Target> | undefined {
    const routed = method === 'HEAD' ? 'GET' : method
    const whole = this.#whole.get(path)?.methods.get(routed)
    if (whole) return { target: whole, params: noParams }
    const segments = segmentsOf(path)
    for (const node of this.#nodesFor(segments)) {
      const target = node.methods.get(routed)
      if (target) return { target, params: paramsOf(target.path, segments) }
    }
    return undefined
  }

  *#nodesFor(segments: string[]): Generator<Node<Target>> {
    const [first] = segments
    if (first === undefined || !this.#reserved.has(first)) {
      yield* nodesFor(this.#root, segments, 0)
      return
    }
    const literal = this.#root.literals.get(first)
    if (literal) yield* nodesFor(literal, segments, 1)
  }

  /**
   * The methods of a path, for `Allow`; empty when the path is unknown. They belong to the first node that matches: a
   * literal segment is no value of a variable.
   */
  methodsOf(path: string): string[] {
    for (const { methods } of this.#nodesFor(segmentsOf(path))) {
      if (methods.size > 0) return [...methods.keys(), ...(methods.has('GET') ? ['HEAD'] : [])].sort()
    }
    return []
  }
}

function emptyNode<Target>(): Node<Target> {
  return { literals: new Map(), endings: new Map(), variable: undefined, rest: undefined, methods: new Map() }
}

/** Splits a path; repeated and trailing slashes are ignored. */
function segmentsOf(path: string): string[] {
  return path.split('/').filter((segment) => segment !== '')
}

const isRest = (segment: string) => segment.endsWith('...}')

/** The text after the parameter in a segment. */
const endingOf = (segment: string) => (segment.startsWith('{') ? segment.slice(segment.indexOf('}') + 1) : '')

function childFor<Target>(node: Node<Target>, segment: string): Node<Target> {
  if (isRest(segment)) {
    node.rest ??= emptyNode()
    return node.rest
  }
  const ending = endingOf(segment)
  if (ending !== '') {
    const child = node.endings.get(ending) ?? emptyNode<Target>()
    node.endings.set(ending, child)
    return child
  }
  if (segment.startsWith('{')) {
    node.variable ??= emptyNode()
    return node.variable
  }
  const child = node.literals.get(segment) ?? emptyNode<Target>()
  node.literals.set(segment, child)
  return child
}

/** Every node that matches the segments: literal matches first, then those with an ending, those that take the rest last. */
function* nodesFor<Target>(node: Node<Target>, segments: string[], at: number): Generator<Node<Target>> {
  const segment = segments[at]
  if (segment === undefined) {
    yield node
    return
  }
  const literal = node.literals.get(segment)
  if (literal) yield* nodesFor(literal, segments, at + 1)
  for (const [ending, child] of node.endings)
    if (segment.endsWith(ending)) yield* nodesFor(child, segments, at + 1)
  if (node.variable) yield* nodesFor(node.variable, segments, at + 1)
  if (node.rest) yield node.rest
}

/** Routing uses the encoded path: `%2F` stays inside its parameter, which is decoded only here. */
function paramsOf(path: string, segments: string[]): Record<string, string> {
  const params: Record<string, string> = {}
  segmentsOf(path).forEach((name, at) => {
    const segment = segments[at]
    if (!name.startsWith('{') || segment === undefined) return
    if (isRest(name)) params[name.slice(1, -4)] = segments.slice(at).map(decodeSegment).join('/')
    else {
      const end = segment.length - endingOf(name).length
      params[name.slice(1, name.indexOf('}'))] = decodeSegment(segment.slice(0, end))
    }
  })
  return params
}

/** Decodes a segment; one with a broken escape is returned as it is and will match no resource. */
function decodeSegment(segment: string): string {
  if (!segment.includes('%')) return segment
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
