import { connect } from 'node:net';

export interface RawReply {
  readonly status: number;
  readonly body: string;
}

/** The answer to bytes that were sent on a new connection. */
export interface RawExchange {
  readonly replies: readonly RawReply[];
  /** Whether the server ended the connection. */
  readonly closed: boolean;
}

export interface RawRequest {
  readonly bytes: Buffer;
  /** Resolve once there are this many replies; Infinity waits for the server to close. */
  readonly replies: number;
  /** After the bytes: keep the connection, half-close it, or destroy it. */
  readonly after: 'keep' | 'half-close' | 'destroy';
}

/**
 * Sends raw bytes and reads replies, until there are enough or the connection is closed. Otherwise rejects after
 * `timeoutMs`.
 */
export function exchangeRaw(url: string, request: RawRequest, timeoutMs = 10_000): Promise<RawExchange> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    let received = Buffer.alloc(0);
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    const settle = (closed: boolean) => {
      clearTimeout(timer);
      socket.destroy();
      resolve({ replies: repliesIn(received), closed });
    };
    const timer = setTimeout(() => {
      socket.destroy();
      reject(
        new Error(
          `no reply and no close in ${timeoutMs} ms for ${JSON.stringify(request.bytes.toString('latin1', 0, 300))}`,
        ),
      );
    }, timeoutMs);
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      if (repliesIn(received).length >= request.replies) settle(false);
    });
    socket.on('end', () => settle(true));
    // A server that has refused a request may reset the rest: that is a closed connection too.
    socket.on('error', () => settle(true));
    socket.on('close', () => settle(true));
    socket.on('connect', () => {
      if (request.after === 'half-close') socket.end(request.bytes);
      else socket.write(request.bytes, () => request.after === 'destroy' && socket.destroy());
    });
  });
}

function repliesIn(bytes: Buffer): RawReply[] {
  const replies: RawReply[] = [];
  let rest = bytes;
  for (;;) {
    const headEnd = rest.indexOf('\r\n\r\n');
    if (headEnd < 0) return replies;
    const head = rest.toString('latin1', 0, headEnd);
    const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1]);
    const length = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0);
    const bodyStart = headEnd + 4;
    if (rest.length < bodyStart + length) return replies;
    if (status >= 200) replies.push({ status, body: rest.toString('utf8', bodyStart, bodyStart + length) });
    rest = rest.subarray(bodyStart + length);
  }
}
