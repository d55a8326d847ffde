import { useState } from "react";
import { type Api, ApiError, type Order, type Pet } from "./api";

export function OrderPet({ api, pet }: { api: Api; pet: Pet }) {
  const [orders, setOrders] = useState<Order[]>([]);
  const [error, setError] = useState<string>();

  async function order() {
    setError(undefined);
    try {
      await api.placeOrder({ petId: pet.id, name: pet.name });
      setOrders(await api.listOrders());
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      setError(error.message);
    }
  }

  return (
    <section aria-label="Orders">
      <button onClick={order}>Order</button>
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
