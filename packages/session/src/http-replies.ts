const headBytesMax = 16 * 1024;
const bodyBytesMax = 64 * 2 ** 20;
const headEnd = '\r\n\r\n';

const statusLine = /^HTTP\/1\.1 ([2-5]\d\d)(?: [\t\x20-\x7e\x80-\xff]*)?$/;
const headerLine = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[\t ]*([\t\x20-\x7e\x80-\xff]*?)[\t ]*$/;
/** No header at all, or one that says something else about the body. */
const refusedHeader = /^(|transfer-encoding|content-encoding|upgrade)$/i;

type Head = ReturnType<typeof parseHead>;
/** The body is only valid during the call. */
type TakeReply = (status: number, body: Buffer, closes: boolean) => void;

/**
 * Reads HTTP/1.1 replies from the bytes of one connection. Strict: a reply is one of status 200 to 599 with exactly
 * one content-length; everything else throws, because a guess could end an operation with the reply to another.
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
      const begin = at + (head?.bytes.length ?? 0);
      const end = begin + (head?.bodyBytes ?? 0);
      if (head === null || end > bytes.length) {
        this.#neededBytes = head === null ? bytes.length - at + 1 : end - at;
        this.#keep(bytes.subarray(at));
        return;
      }
      at = end;
      this.#take(head.status, bytes.subarray(begin, end), head.closes);
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
  let closes = false;
  for (const line of lines) {
    const [, name = '', value = ''] = headerLine.exec(line) ?? [];
    if (refusedHeader.test(name)) throw new Error(`not understood in a reply: ${excerpt(line)}`);
    if (/^content-length$/i.test(name)) lengths.push(value);
    closes ||= /^connection$/i.test(name) && /\bclose\b/i.test(value);
  }
  const bodyBytes = /^\d{1,8}$/.test(lengths.join()) ? Number(lengths[0]) : Number.NaN;
  if (!(bodyBytes <= bodyBytesMax)) {
    throw new Error(`a reply has no one content-length up to ${bodyBytesMax}: ${excerpt(lengths.join())}`);
  }
  return { bytes, status: Number(status), bodyBytes, closes };
}

function excerpt(text: string): string {
  return JSON.stringify(text.slice(0, 200));
}
