import { useState } from "react";
import { type Api, ApiError, type Order, type Pet } from "./api";

export function OrderPet({ api, pet }: { api: Api; pet: Pet }) {
  const [orders, setOrders] = useState<Order[]>([]);
  const [error, setError] = useState<string>();
  const [isSending, setIsSending] = useState(false);

  async function order() {
    setError(undefined);
    // Else the list of an earlier order can arrive last, and the later order is missing.
    setIsSending(true);
    try {
      await api.placeOrder({ petId: pet.id, name: pet.name });
      setOrders(await api.listOrders());
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      setError(error.message);
    } finally {
      setIsSending(false);
    }
  }

  return (
    <section aria-label="Orders">
      <button disabled={isSending} onClick={order}>
        Order
      </button>
      {error !== undefined && <p role="alert">{error}</p>}
      <ul>
        {orders.map(({ id, name }) => (
          <li key={id}>
            Order {id}: {name}
          </li>
        ))}
      </ul>
    </section>
  );
}
