/** The client's tests in Chromium, in a page of another origin than the service's; `npm run test:client` runs them elsewhere. */
import { chromium } from '../platforms/programs.ts';
import { testOn } from '../platforms/tests.ts';

testOn(chromium);
