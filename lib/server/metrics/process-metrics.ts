import {
  Counter,
  collectDefaultMetrics,
  Gauge,
  Histogram,
  type Metric,
  type MetricObjectWithValues,
  Registry,
} from "prom-client";
import { poolStatuses } from "#lib/platform/database/index";
import { type Observer, observe } from "#lib/platform/observer";
import { existingSingleton, processSingleton } from "#lib/platform/process-singleton";
import { addWhenCollected, collectFromWorkers, isServerWorker } from "#lib/platform/server-workers";
import { secondMs } from "#lib/platform/time";
import { pacer } from "#lib/replay/playback/index";

type Value = { value: number; labels: Record<string, string>; metricName: string };

/**
 * A histogram without labels whose `observe` only adds two numbers: for what happens thousands of times a second.
 * prom-client's own takes over ten times as long.
 */
class BucketHistogram {
  readonly type = "histogram";
  readonly aggregator = "sum";
  readonly #bounds: readonly number[];
  readonly #counts: Float64Array;
  #sum = 0;

  /** `bounds` are the upper bounds of the buckets, ascending. */
  constructor(
    readonly name: string,
    readonly help: string,
    bounds: readonly number[],
  ) {
    this.#bounds = bounds;
    this.#counts = new Float64Array(bounds.length + 1);
  }

  observe(value: number): void {
    let bucket = 0;
    while (bucket < this.#bounds.length && value > (this.#bounds[bucket] as number)) bucket += 1;
    this.#counts[bucket] = (this.#counts[bucket] as number) + 1;
    this.#sum += value;
  }

  /** Returns the values as prom-client's registry expects them of a metric. */
  async get() {
    const values: Value[] = [];
    let count = 0;
    for (const [index, bucketCount] of this.#counts.entries()) {
      count += bucketCount;
      const le = String(this.#bounds[index] ?? "+Inf");
      values.push({ value: count, labels: { le }, metricName: `${this.name}_bucket` });
    }
    values.push({ value: this.#sum, labels: {}, metricName: `${this.name}_sum` });
    values.push({ value: count, labels: {}, metricName: `${this.name}_count` });
    const { name, help, type, aggregator } = this;
    return { name, help, type, aggregator, values };
  }

  /** This histogram in the type of the registry, which only calls `get`. */
  get metric(): Metric {
    return this as unknown as Metric;
  }
}

/** The constructor takes the format, which its type does not say. */
const FormattedRegistry = Registry as unknown as new (contentType: string) => Registry;

/** Returns an empty registry that writes OpenMetrics. */
export function createRegistry(): Registry {
  return new FormattedRegistry(Registry.OPENMETRICS_CONTENT_TYPE);
}

/** Upper bounds of the buckets, in seconds. */
const durationBounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const latenessBounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];

/** Returns gauges of the database's connections, read when they are collected. */
function addPoolGauges(registers: Registry[]): void {
  const gauges = [
    ["connections", "Connections to the database.", "total"],
    ["idle_connections", "Connections to the database that are not in use.", "idle"],
    ["waiting_requests", "Operations that wait for a connection to the database.", "waiting"],
  ] as const;
  for (const [suffix, help, field] of gauges) {
    new Gauge({
      name: `tapedeck_database_pool_${suffix}`,
      help,
      labelNames: ["pool"],
      registers,
      collect() {
        for (const status of poolStatuses()) this.set({ pool: status.name }, status[field]);
      },
    });
  }
}

/** Adds the metrics of this process to a registry. Returns the observer that feeds them. */
export function addProcessMetrics(registry: Registry): Observer {
  const registers = [registry];
  collectDefaultMetrics({ register: registry, prefix: "tapedeck_" });
  addPoolGauges(registers);
  const counter = <Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
    new Counter({ name: `tapedeck_${name}`, help, labelNames, registers });
  const requests = counter("http_requests_total", "Answered requests.", "endpoint", "method", "status");
  const durations = new Histogram({
    name: "tapedeck_http_request_duration_seconds",
    help: "Time to the answer, for a stream to its head.",
    labelNames: ["endpoint"],
    buckets: durationBounds,
    registers,
  });
  const refusals = counter("refused_total", "Requests and connections refused by a limit.", "kind");
  const paymentEvents = counter("payment_events_total", "Events of the payment provider.", "outcome");
  const lastPaymentEvent = new Gauge({
    name: "tapedeck_payment_event_last_accepted_timestamp_seconds",
    help: "When the last event of the payment provider was accepted; 0 before the first.",
    registers,
  });
  const started = counter("replay_streams_started_total", "Replay streams that were started.");
  const ended = counter("replay_streams_ended_total", "Replay streams that have ended.", "outcome");
  new Gauge({
    name: "tapedeck_replay_streams_open",
    help: "Replay streams that are playing.",
    registers,
    collect() {
      this.set(pacer().size);
    },
  });
  const lateness = new BucketHistogram(
    "tapedeck_replay_chunk_lateness_seconds",
    "How long after its time a chunk was written.",
    latenessBounds,
  );
  registry.registerMetric(lateness.metric);
  return {
    answered(endpoint, method, status, durationMs) {
      requests.inc({ endpoint, method, status: `${Math.floor(status / 100)}xx` });
      durations.observe({ endpoint }, durationMs / secondMs);
    },
    refused: (kind) => refusals.inc({ kind }),
    paymentEvent(outcome) {
      paymentEvents.inc({ outcome });
      if (outcome === "accepted") lastPaymentEvent.setToCurrentTime();
    },
    streamStarted: () => started.inc(),
    streamEnded: (outcome) => ended.inc({ outcome }),
    chunkWritten: (latenessMs) => lateness.observe(Math.max(0, latenessMs) / secondMs),
  };
}

type CollectedMetric = MetricObjectWithValues<Value>;

const registryName = "process-metrics";

/** Starts to measure this process, once. */
export function startProcessMetrics(): void {
  observe(() => addProcessMetrics(processSingleton(registryName, createRegistry)));
  if (isServerWorker) addWhenCollected(async () => processRegistry()?.getMetricsAsJSON());
}

function processRegistry(): Registry | undefined {
  return existingSingleton(registryName);
}

/**
 * Returns the metrics of this process; undefined if it is not measured, as in a function on Vercel. Of several processes that
 * serve one port, returns those of all, each with the label `worker`, so that one that is started again counts from 0 alone.
 */
export async function serverRegistry(): Promise<Registry | undefined> {
  if (!isServerWorker) return processRegistry();
  const merged = new Map<string, CollectedMetric>();
  for (const { worker, value } of await collectFromWorkers<CollectedMetric[] | null>()) {
    for (const metric of value ?? []) {
      const values = metric.values.map((each) => ({ ...each, labels: { ...each.labels, worker: String(worker) } }));
      merged.set(metric.name, { ...metric, values: [...(merged.get(metric.name)?.values ?? []), ...values] });
    }
  }
  const registry = createRegistry();
  for (const metric of merged.values()) {
    // The registry changes the names of counters, which `get` has to return then.
    const registered = { ...metric, get: async () => registered } as unknown as Metric;
    registry.registerMetric(registered);
  }
  return registry;
}
