import { createSocket, type RemoteInfo } from 'node:dgram';
import { once } from 'node:events';

/** A DNS server that answers with the same address for every name. */
export interface NameServer {
  readonly port: number;
  /** Changes the address. Earlier answers have a TTL of one second. */
  readonly move: (address: string) => void;
  readonly stop: () => void;
}

/** @param address an IPv4 address */
export async function startNameServer(address: string): Promise<NameServer> {
  let current = address;
  const socket = createSocket('udp4');
  socket.on('message', (query: Buffer, { port, address: asker }: RemoteInfo) => socket.send(answerTo(query, current), port, asker));
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return { port: socket.address().port, move: (next) => (current = next), stop: () => socket.close() };
}

/** Returns the header and the question, marked as an answer, with one record for a question for an IPv4 address (RFC 1035). */
function answerTo(query: Buffer, address: string): Buffer {
  const end = query.indexOf(0, 12) + 5;
  const message = Buffer.from(query.subarray(0, end));
  const isForAddress = message.readUInt16BE(end - 4) === 1;
  message.writeUInt16BE(0x8180, 2);
  for (const [count, value] of [isForAddress ? 1 : 0, 0, 0].entries()) message.writeUInt16BE(value, 6 + 2 * count);
  // the name of the question, type A, class IN, TTL of one second, four bytes
  const record = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 1, 0, 4, ...address.split('.').map(Number)]);
  return isForAddress ? Buffer.concat([message, record]) : message;
}
