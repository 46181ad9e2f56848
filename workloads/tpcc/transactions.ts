/** The arguments of the five transactions, as a binding gets them. */
export interface Line {
  readonly is_local: boolean;
  readonly supply_w_id: number;
  readonly i_id: number;
  readonly quantity: bigint;
}

export interface NewOrder {
  readonly w_id: number;
  readonly d_id: number;
  readonly c_id: number;
  readonly is_wrong: boolean;
  readonly lines: readonly Line[];
}

/** By its number, or by its last name. */
export interface CustomerWanted {
  readonly by_name: boolean;
  readonly c_id: number;
  readonly c_last: string;
}

export interface Payment extends CustomerWanted {
  readonly h_id: bigint;
  readonly w_id: number;
  readonly d_id: number;
  readonly c_w_id: number;
  readonly c_d_id: number;
  readonly amount: bigint;
}

export interface OrderStatus extends CustomerWanted {
  readonly w_id: number;
  readonly d_id: number;
}

export interface Delivery {
  readonly w_id: number;
  readonly carrier: bigint;
}

export interface StockLevel {
  readonly w_id: number;
  readonly d_id: number;
  readonly threshold: bigint;
}

/** The lines of an order with their numbers, those of one row of stock one after the other: orders that overlap cannot deadlock. */
export function inOrderOfStock(lines: readonly Line[]): readonly (Line & { readonly number: number })[] {
  return lines
    .map((line, place) => ({ ...line, number: place + 1 }))
    .sort((a, b) => a.supply_w_id - b.supply_w_id || a.i_id - b.i_id || a.number - b.number);
}

/** What is left in stock after a line, which is filled up below 10. */
export function leftAfter(quantity: bigint, ordered: bigint): bigint {
  const left = quantity - ordered;
  return left >= 10n ? left : left + 91n;
}

/** An order’s total in units of 10⁻¹⁰: the sum has two digits after the point, the discount and the taxes have four. */
export function totalOf(sum: bigint, discount: bigint, taxes: bigint): bigint {
  return sum * (10_000n - discount) * (10_000n + taxes);
}

export const isOriginal = (...data: readonly string[]): boolean =>
  data.every((one) => one.includes('ORIGINAL'));

export const places = [
  's_dist_01',
  's_dist_02',
  's_dist_03',
  's_dist_04',
  's_dist_05',
  's_dist_06',
  's_dist_07',
  's_dist_08',
  's_dist_09',
  's_dist_10',
] as const;

/** The column of stock with a district's information. */
export const placeOf = (district: number): (typeof places)[number] => places[district - 1] ?? 's_dist_10';

/** The middle of the customers with a name, by first names. */
export function middleOf<Row>(rows: readonly Row[]): Row {
  const middle = rows[Math.ceil(rows.length / 2) - 1];
  if (middle === undefined) throw new Error('no customer has the name');
  return middle;
}

/** Whole cents as a decimal: 1234 is 12.34. */
export function decimalOf(cents: bigint): string {
  const digits = String(cents < 0n ? -cents : cents).padStart(3, '0');
  return `${cents < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/** What a payment puts before the data of a customer with bad credit. */
export function dataAfter(
  data: string,
  c_id: number,
  { c_d_id, c_w_id, d_id, w_id, amount }: Payment,
): string {
  return `${c_id} ${c_d_id} ${c_w_id} ${d_id} ${w_id} ${decimalOf(amount)}|${data}`.slice(0, 500);
}

/** A decimal with two digits after the point, as whole cents. */
export const centsOf = (text: string): bigint => unitsOf(text, 2);
/** A rate of four digits after the point, as the whole number of its smallest unit. */
export const rateOf = (text: string): bigint => unitsOf(text, 4);

function unitsOf(text: string, scale: number): bigint {
  const [whole = '', fraction = ''] = text.split('.');
  return BigInt(`${whole}${fraction.padEnd(scale, '0')}`);
}

/** The time now in UTC, as databases write it; of milliseconds. */
export const now = (): string => new Date().toISOString().slice(0, 23).replace('T', ' ');
/** Such a time as microseconds since 1970. */
export const microsOf = (time: string): bigint =>
  BigInt(Date.parse(`${time.replace(' ', 'T').slice(0, 23)}Z`)) * 1000n;

/** Of a district without an order to deliver. */
export const nothingToDeliver = { o_id: 0, c_id: 0, amount: 0n, c_payment_cnt: 0n, c_delivery_cnt: 0n };

/** The last item of an order does not exist: the transaction is rolled back. */
export class UnknownItem extends Error {}

/** A row that must be there, save the item of an order that is rolled back. */
export function required<Row>(row: Row | undefined): Row {
  if (row === undefined) throw new UnknownItem('there is no such row');
  return row;
}

/** The outcome of an order that is rolled back. */
export const unknownItem = { declined: 'unknown-item' } as const;
