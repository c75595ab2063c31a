import type { Server } from "node:http";
import type { Socket } from "node:net";
import { observer } from "#lib/platform/observer";
import { type NetworkBound, networkBoundOf } from "./client-bounds";

/** A client network with connections. */
type Network = {
  name: string;
  count: number;
  /** Connections without a request in progress, the longest idle first. */
  idle: Set<Socket>;
};

type Connection = { network: Network; requestCount: number };

/**
 * Bounds the connections of a server, in total and per client network. Beyond a bound, the connection that has been idle
 * longest is closed in favour of the new one, so that connections without requests lock nobody out. If none is idle, the
 * new connection is closed.
 */
export function boundConnections(server: Server, bounds: NetworkBound & { max: number }): void {
  const networks = new Map<string, Network>();
  const connections = new Map<Socket, Connection>();
  const idle = new Set<Socket>();

  function add(socket: Socket, name: string): void {
    const network = networks.get(name) ?? { name, count: 0, idle: new Set() };
    network.count += 1;
    networks.set(name, network);
    connections.set(socket, { network, requestCount: 0 });
    changeRequestCount(socket, 0);
  }

  function changeRequestCount(socket: Socket, change: number): void {
    const connection = connections.get(socket);
    if (!connection) return;
    connection.requestCount += change;
    for (const sockets of [idle, connection.network.idle]) {
      if (connection.requestCount === 0) sockets.add(socket);
      else sockets.delete(socket);
    }
  }

  function remove(socket: Socket): void {
    const network = connections.get(socket)?.network;
    if (!network) return;
    connections.delete(socket);
    idle.delete(socket);
    network.idle.delete(socket);
    network.count -= 1;
    if (network.count === 0) networks.delete(network.name);
  }

  /** Closes the connection that has been idle longest. Returns whether there was one. */
  function closeOldest([oldest]: Set<Socket>): boolean {
    if (!oldest) return false;
    remove(oldest);
    oldest.destroy();
    return true;
  }

  server.on("connection", (socket) => {
    const { network: name, max } = networkBoundOf(socket.remoteAddress, bounds);
    const network = networks.get(name);
    const hasRoom =
      network && network.count >= max ? closeOldest(network.idle) : connections.size < bounds.max || closeOldest(idle);
    if (!hasRoom) {
      observer()?.refused("connections");
      socket.destroy();
      return;
    }
    add(socket, name);
    socket.once("close", () => remove(socket));
  });
  server.on("request", ({ socket }, response) => {
    changeRequestCount(socket, 1);
    response.once("close", () => changeRequestCount(socket, -1));
  });
}
