import { createSocket, type RemoteInfo } from 'node:dgram';
import { once } from 'node:events';

/** A DNS server that knows one address for every name. */
export interface NameServer {
  readonly port: number;
  /** Says another address from now on; what was said before is good for one second. */
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

/** The header and the question as they came, marked as an answer; to a question for an IPv4 address one record (RFC 1035). */
function answerTo(query: Buffer, address: string): Buffer {
  const end = query.indexOf(0, 12) + 5;
  const message = Buffer.from(query.subarray(0, end));
  const isForAddress = message.readUInt16BE(end - 4) === 1;
  message.writeUInt16BE(0x8180, 2);
  for (const [count, value] of [isForAddress ? 1 : 0, 0, 0].entries()) message.writeUInt16BE(value, 6 + 2 * count);
  // the name as in the question, type A, class IN, a second, four bytes
  const record = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 1, 0, 4, ...address.split('.').map(Number)]);
  return isForAddress ? Buffer.concat([message, record]) : message;
}
