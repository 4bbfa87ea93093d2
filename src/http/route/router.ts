export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** What the router keeps of a target: where it is, and by which method it is reached. */
export interface RouteLocation {
  method: Method
  /** Whole path with braces. */
  path: string
}

/** The target of a request and its path parameters, decoded. */
export interface Match<Target> {
  target: Target
  params: Readonly<Record<string, string>>
}

interface Node<Target> {
  literals: Map<string, Node<Target>>
  variable: Node<Target> | undefined
  methods: Map<string, Target & RouteLocation>
}

const noParams = Object.freeze({})

/**
 * A trie of path segments. A literal segment wins over a variable one; where the literal has no such method the
 * variable is tried, so that `runners/registration-token` and `runners/{runner_id}` live side by side.
 */
export class Router<Target extends RouteLocation> {
  readonly #root: Node<Target> = emptyNode()
  /** Paths without variables, which are most: one look-up. */
  readonly #whole = new Map<string, Node<Target>>()

  /** @throws Error at start when two targets share a method and a path, whatever their parameters are called */
  constructor(targets: readonly Target[]) {
    for (const target of targets) this.#add(target)
  }

  #add(target: Target): void {
    let node = this.#root
    for (const segment of segmentsOf(target.path)) node = childFor(node, segment)
    const taken = node.methods.get(target.method)
    if (taken) throw new Error(`Cannot route ${target.method} ${target.path}: it is ${taken.path} already`)
    node.methods.set(target.method, target)
    if (!target.path.includes('{')) this.#whole.set(target.path, node)
  }

  /** The target for a method (`HEAD` is served by `GET`) and a raw path without its query. */
  find(method: string, path: string): Match<Target> | undefined {
    const wanted = method === 'HEAD' ? 'GET' : method
    const whole = this.#whole.get(path)?.methods.get(wanted)
    if (whole) return { target: whole, params: noParams }
    const segments = segmentsOf(path)
    for (const node of nodesFor(this.#root, segments, 0)) {
      const target = node.methods.get(wanted)
      if (target) return { target, params: paramsOf(target.path, segments) }
    }
    return undefined
  }

  /** Methods that a path answers to, for `Allow`; empty when the path is unknown. */
  methodsOf(path: string): string[] {
    const methods = new Set<string>()
    for (const node of nodesFor(this.#root, segmentsOf(path), 0)) {
      for (const method of node.methods.keys()) methods.add(method)
    }
    if (methods.has('GET')) methods.add('HEAD')
    return [...methods].sort()
  }
}

function emptyNode<Target>(): Node<Target> {
  return { literals: new Map(), variable: undefined, methods: new Map() }
}

/** Repeated and trailing slashes say nothing. */
function segmentsOf(path: string): string[] {
  return path.split('/').filter((segment) => segment !== '')
}

function childFor<Target>(node: Node<Target>, segment: string): Node<Target> {
  if (segment.startsWith('{')) {
    node.variable ??= emptyNode()
    return node.variable
  }
  const child = node.literals.get(segment) ?? emptyNode<Target>()
  node.literals.set(segment, child)
  return child
}

/** Every node that the segments lead to, the most literal first. */
function* nodesFor<Target>(node: Node<Target>, segments: string[], at: number): Generator<Node<Target>> {
  const segment = segments[at]
  if (segment === undefined) {
    yield node
    return
  }
  const literal = node.literals.get(segment)
  if (literal) yield* nodesFor(literal, segments, at + 1)
  if (node.variable) yield* nodesFor(node.variable, segments, at + 1)
}

/** Routing uses the encoded path: `%2F` stays inside its parameter and is decoded only here. */
function paramsOf(path: string, segments: string[]): Record<string, string> {
  const params: Record<string, string> = {}
  segmentsOf(path).forEach((name, at) => {
    const segment = segments[at]
    if (name.startsWith('{') && segment !== undefined) params[name.slice(1, -1)] = decodeSegment(segment)
  })
  return params
}

/** A segment with a broken escape stays as it is: it will name nothing. */
function decodeSegment(segment: string): string {
  if (!segment.includes('%')) return segment
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
