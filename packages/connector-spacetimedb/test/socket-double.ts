/** A WebSocket without a server: records what is sent, and delivers what the test gives it. */
export class SocketDouble {
  static last: SocketDouble | undefined;
  readonly protocol = 'v3.bsatn.spacetimedb';
  readonly sent: Uint8Array[] = [];
  binaryType = 'blob';
  readyState = 0;
  onopen: (() => void) | undefined;
  onclose: ((event: { code: number; reason: string }) => void) | undefined;
  onmessage: ((event: { data: ArrayBuffer }) => void) | undefined;
  onerror: (() => void) | undefined;

  constructor() {
    SocketDouble.last = this;
  }

  open(): void {
    this.readyState = 1;
    this.onopen?.();
  }

  say(bytes: Uint8Array): void {
    this.onmessage?.({ data: new Uint8Array(bytes).buffer });
  }

  send(bytes: Uint8Array): void {
    this.sent.push(new Uint8Array(bytes));
  }

  close(): void {
    if (this.readyState === 3) return;
    this.readyState = 3;
    this.onclose?.({ code: 1000, reason: '' });
  }
}
