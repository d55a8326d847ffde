// A list by Suspense, with an error boundary.

import { Component, Suspense, use, useState } from "react";
import { Link } from "../../shared/router.jsx";
import { read } from "../api.js";
import { Failure } from "../ui.jsx";

class Boundary extends Component {
  state = {};

  static getDerivedStateFromError(error) {
    return { error };
  }

  render() {
    return this.state.error ? <Failure error={this.state.error} onRetry={this.props.onRetry} /> : this.props.children;
  }
}

export function Owners() {
  const [loading, setLoading] = useState(() => ({ promise: read("/owners"), tries: 0 }));
  const retry = () => setLoading(({ tries }) => ({ promise: read("/owners"), tries: tries + 1 }));
  return (
    <>
      <h1>Owners</h1>
      <Boundary key={loading.tries} onRetry={retry}>
        <Suspense fallback={<p role="status">Loading owners…</p>}>
          <List promise={loading.promise} />
        </Suspense>
      </Boundary>
    </>
  );
}

function List({ promise }) {
  const owners = use(promise);
  if (owners.length === 0) return <p>There are no owners yet.</p>;
  return (
    <ul>
      {owners.map(({ id, name }) => (
        <li key={id}>
          <Link to={`/owners/${id}`}>{name}</Link>
        </li>
      ))}
    </ul>
  );
}
