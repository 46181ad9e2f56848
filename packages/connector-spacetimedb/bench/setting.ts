/** The same for both clients. */
export interface Setting {
  readonly client: string;
  readonly seconds: number;
  readonly warmupSeconds: number;
  readonly sessions: number;
  readonly alpha: number;
  readonly accounts: number;
}

/** Where both clients go; `database` is the other client's, with the dataset in it. */
export interface Server {
  readonly url: string;
  readonly database: string;
}

export interface Rates {
  /** Transfers acknowledged as applied. */
  readonly perSecond: number;
  /** The client process's, user and system, in microseconds for each of them. */
  readonly cpuUs: number;
}
