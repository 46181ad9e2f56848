const headBytesMax = 16 * 1024;
const bodyBytesMax = 64 * 2 ** 20;
const headEnd = '\r\n\r\n';

const statusLine = /^HTTP\/1\.1 ([2-5]\d\d)(?: [\t\x20-\x7e\x80-\xff]*)?$/;
const headerLine = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[\t ]*([\t\x20-\x7e\x80-\xff]*?)[\t ]*$/;
/** No header at all, or one that says something else about the body. */
const refusedHeader = /^(|content-encoding|upgrade)$/i;
const chunkSize = /^[0-9a-f]{1,7}$/i;
/** Of a chunk's size, and the carriage return after it. */
const chunkLineMax = 8;

type Head = ReturnType<typeof parseHead>;
/** The body is only valid during the call. */
type TakeReply = (status: number, body: Buffer, closes: boolean) => void;

/**
 * Reads HTTP/1.1 replies from the bytes of one connection. Strict: a reply is one of status 200 to 599 with exactly
 * one content-length, or in chunks; everything else throws, because a guess could end an operation with the reply to
 * another.
 */
export class HttpReplies {
  readonly #take: TakeReply;
  /** The last reply's head: the next one is nearly always equal. */
  #last: Head | null = null;
  /** Bytes of a reply that is not complete, and how many it needs at least. */
  readonly #rest: Buffer[] = [];
  #restBytes = 0;
  #neededBytes = 0;

  constructor(take: TakeReply) {
    this.#take = take;
  }

  /** The chunk may be used again after the call. Throws at bytes that are no such reply. */
  read(chunk: Buffer): void {
    if (this.#restBytes > 0 && this.#restBytes + chunk.length < this.#neededBytes) {
      this.#keep(chunk);
      return;
    }
    const bytes = this.#restBytes === 0 ? chunk : Buffer.concat([...this.#rest.splice(0), chunk]);
    this.#restBytes = 0;
    let at = 0;
    while (at < bytes.length) {
      const head = this.#headAt(bytes, at);
      const body = head === null ? null : bodyAt(bytes, at + head.bytes.length, head);
      if (head === null || body === null) {
        const known = head === null ? 0 : head.bytes.length + (head.bodyBytes ?? 0);
        this.#neededBytes = Math.max(known, bytes.length - at + 1);
        this.#keep(bytes.subarray(at));
        return;
      }
      at = body.end;
      this.#take(head.status, body.bytes, head.closes);
    }
  }

  #keep(bytes: Buffer): void {
    this.#rest.push(Buffer.from(bytes));
    this.#restBytes += bytes.length;
  }

  /** The head that begins there; null if it is incomplete. */
  #headAt(bytes: Buffer, at: number): Head | null {
    const last = this.#last;
    if (last !== null) {
      const length = last.bytes.length;
      if (at + length <= bytes.length && last.bytes.compare(bytes, at, at + length) === 0) return last;
    }
    const end = bytes.indexOf(headEnd, at, 'latin1');
    const length = (end < 0 ? bytes.length : end) - at;
    if (length > headBytesMax) throw new Error('the head of a reply has no end');
    if (end < 0) return null;
    return (this.#last = parseHead(Buffer.from(bytes.subarray(at, end + headEnd.length))));
  }
}

function parseHead(bytes: Buffer) {
  const [first = '', ...lines] = bytes.toString('latin1', 0, bytes.length - headEnd.length).split('\r\n');
  const status = statusLine.exec(first)?.[1];
  if (status === undefined) throw new Error(`no HTTP/1.1 reply: ${excerpt(first)}`);
  const lengths: string[] = [];
  const codings: string[] = [];
  let closes = false;
  for (const line of lines) {
    const [, name = '', value = ''] = headerLine.exec(line) ?? [];
    if (refusedHeader.test(name)) throw new Error(`not understood in a reply: ${excerpt(line)}`);
    if (/^content-length$/i.test(name)) lengths.push(value);
    if (/^transfer-encoding$/i.test(name)) codings.push(value);
    closes ||= /^connection$/i.test(name) && /\bclose\b/i.test(value);
  }
  const isChunked = lengths.length === 0 && /^chunked$/i.test(codings.join());
  const isSized = codings.length === 0 && /^\d{1,8}$/.test(lengths.join());
  const bodyBytes = isSized ? Number(lengths[0]) : Number.NaN;
  if (!isChunked && !(bodyBytes <= bodyBytesMax)) {
    const given = excerpt([...lengths, ...codings].join());
    throw new Error(`a reply has no one content-length up to ${bodyBytesMax}, and no chunks: ${given}`);
  }
  return { bytes, status: Number(status), bodyBytes: isChunked ? null : bodyBytes, closes };
}

interface Body {
  readonly bytes: Buffer;
  readonly end: number;
}

/** The body that begins there; null if it is incomplete. */
function bodyAt(bytes: Buffer, begin: number, { bodyBytes }: Head): Body | null {
  if (bodyBytes === null) return joinChunks(bytes, begin);
  const end = begin + bodyBytes;
  return end > bytes.length ? null : { bytes: bytes.subarray(begin, end), end };
}

/** Chunks without extensions, and no trailers. */
function joinChunks(bytes: Buffer, begin: number): Body | null {
  const chunks: Buffer[] = [];
  for (let at = begin; ;) {
    const lineEnd = bytes.indexOf('\r\n', at, 'latin1');
    const line = bytes.toString('latin1', at, lineEnd < 0 ? bytes.length : lineEnd);
    if (lineEnd < 0 && line.length <= chunkLineMax) return null;
    if (!chunkSize.test(line)) throw new Error(`no size of a chunk: ${excerpt(line)}`);
    const first = lineEnd + 2;
    const end = first + Number.parseInt(line, 16);
    if (end - begin > bodyBytesMax) throw new Error(`a reply has more than ${bodyBytesMax} bytes`);
    if (end + 2 > bytes.length) return null;
    if (bytes.toString('latin1', end, end + 2) !== '\r\n')
      throw new Error('a chunk is not as long as its size');
    if (end === first) return { bytes: Buffer.concat(chunks), end: end + 2 };
    chunks.push(bytes.subarray(first, end));
    at = end + 2;
  }
}

function excerpt(text: string): string {
  return JSON.stringify(text.slice(0, 200));
}
