/** A page of the documentation. */
import { prepareExamples } from './examples.js';
import { prepareFrame } from './frame.js';
import { prepareSearch } from './search.js';

prepareFrame();
prepareSearch();

// Content wider than its frame can be scrolled, also by keyboard.
const scrolling = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    if (target.scrollWidth > target.clientWidth) target.tabIndex = 0;
    else target.removeAttribute('tabindex');
  }
});
for (const each of document.querySelectorAll('article pre, article .table')) scrolling.observe(each);

prepareExamples();
