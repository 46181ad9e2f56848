import { defineWorkload } from '@fair-bench/workload';
import { conditions } from './conditions.ts';
import { delivery } from './delivery.ts';
import { firstUndelivered } from './names.ts';
import { newOrder } from './new-order.ts';
import { orderStatus } from './order-status.ts';
import { payment } from './payment.ts';
import { stockLevel } from './stock-level.ts';
import { tables } from './tables.ts';

/** TPC Benchmark C, revision 5.11: its tables, its five transactions and its mix. Results are derived from it, and no TPC results. */
export default defineWorkload({
  name: 'tpcc',
  about: 'Orders, payments and deliveries of a wholesale company, derived from TPC-C; no TPC result.',
  parameters: {
    warehouses: { type: 'integer', default: 1, min: 1, max: 1000, small: 2, about: 'warehouses' },
    districts: { type: 'integer', default: 10, min: 1, max: 10, small: 2, about: 'districts of a warehouse' },
    customers: { type: 'integer', default: 3000, min: 5, max: 3000, about: 'customers of a district' },
    items: { type: 'integer', default: 100_000, min: 20, max: 100_000, about: 'items' },
  },
  tables,
  operations: {
    new_order: newOrder,
    payment,
    order_status: orderStatus,
    delivery,
    stock_level: stockLevel,
  },
  chains: {
    district: { table: 'district', counter: ['d_next_o_id'] },
    stock: { table: 'stock', counter: ['s_order_cnt'], keeps: ['s_quantity'] },
    customer: { table: 'customer', counter: ['c_payment_cnt', 'c_delivery_cnt'] },
    deliveries: { first: (_key, parameter) => firstUndelivered(parameter('customers')) },
    'last order': {},
  },
  conditions,
  axes: { warehouses: { label: 'w', factor: 'warehouses', sweep: [1] } },
});
