/** The parts of customers' last names: TPC-C 5.11, clause 4.3.2.3. */
export const nameParts = ['BAR', 'OUGHT', 'ABLE', 'PRI', 'PRES', 'ESE', 'ANTI', 'CALLY', 'ATION', 'EING'];

/** The last name of a number from 0 to 999. */
export function lastName(number: number): string {
  const digits = [Math.floor(number / 100), Math.floor(number / 10) % 10, number % 10];
  return digits.map((digit) => nameParts[digit]).join('');
}

/** Constants of the non-uniform numbers (clause 2.1.6.1): of names 66 lies between those of loading and of running. */
export const constants = { nameLoad: 157, nameRun: 223, customer: 259, item: 7911 } as const;

/** The moment at which the first rows were there: 2026-01-01, microseconds since 1970. */
export const loadedAt = 1_767_225_600_000_000n;

/** The first order of a district that is not delivered in the beginning: 30 of a hundred are not (clause 4.3.3.1). */
export function firstUndelivered(customers: number): number {
  return customers - Math.floor(customers * 0.3) + 1;
}

/** The customer of an order in the beginning: each has one, in a mixed order. */
export function firstCustomerOf(order: number, district: number, customers: number): number {
  const step = customers % 1657 === 0 ? 1 : 1657;
  return (((order - 1) * step + district * 211) % customers) + 1;
}

/** How many lines an order has in the beginning: 5 to 15. */
export function firstLinesOf(warehouse: number, district: number, order: number): number {
  let mixed =
    Math.imul(order, 0x9e37_79b1) ^ Math.imul(district, 0x85eb_ca6b) ^ Math.imul(warehouse, 0xc2b2_ae35);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x2c1b_3c6d);
  return 5 + (((mixed ^ (mixed >>> 13)) >>> 0) % 11);
}
