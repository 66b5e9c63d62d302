/** What the measurement of the console orders from the service's process besides the usual. */
import type { OrdersModule } from '../service/server.ts';

export const ordersOf: OrdersModule['ordersOf'] = (rowhouse) => ({ setUpLink: () => rowhouse().setUpLink() });
