import { bounds, type RequestCounters, type RequestCounts } from './requests.ts'

const durationName = 'forgehall_request_duration_seconds'

/**
 * A histogram as the library would give it; its own counts with each observation, which costs more than our numbers.
 */
export function durationMetric(counters: RequestCounters) {
  const values = [...counters.all()].flatMap(valuesOf)
  return { name: durationName, help: 'Duration of requests', type: 'histogram', aggregator: 'sum', values }
}

function valuesOf({ route, method, buckets, seconds }: RequestCounts) {
  const labels = { route, method }
  let sum = 0
  const values = buckets.map((count, at) => {
    sum += count
    return {
      metricName: `${durationName}_bucket`,
      labels: { ...labels, le: bounds[at] ?? '+Inf' },
      value: sum,
    }
  })
  return [
    ...values,
    { metricName: `${durationName}_sum`, labels, value: seconds },
    { metricName: `${durationName}_count`, labels, value: sum },
  ]
}
