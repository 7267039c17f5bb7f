// A fat tree of switches with k ports: k pods of k/2 edge and k/2 aggregation routers, (k/2)^2 core routers, k^3/4 hosts. ns-3 3.37 has
// no hash of flows: Ipv4GlobalRouting takes the first of equal routes, or one at random for each packet. So the routers have
// a routing protocol of their own here: down by the address, up by a hash of the five-tuple and of the router, as in ECMP.
// Flows are read from a file, one on each line: SOURCE DESTINATION BYTES START_NS. Prints one JSON document; it counts each arrival of a frame as a hop.
#include <ns3/applications-module.h>
#include <ns3/core-module.h>
#include <ns3/internet-module.h>
#include <ns3/network-module.h>
#include <ns3/point-to-point-module.h>
#include <ns3/traffic-control-module.h>

#include <cstdio>
#include <ctime>
#include <fstream>
#include <string>
#include <vector>

using namespace ns3;

// Sends a packet up by a hash of its five-tuple and of the router, and down by the address: 10.POD.EDGE.HOST.
class FatTreeRouting : public Ipv4RoutingProtocol
{
  public:
    enum Level
    {
        HOST,
        EDGE,
        AGGREGATION,
        CORE
    };

    static TypeId GetTypeId()
    {
        static TypeId id = TypeId("ns3::FatTreeRouting").SetParent<Ipv4RoutingProtocol>();
        return id;
    }

    FatTreeRouting(Level level, uint32_t pod, uint32_t number, uint32_t seed)
        : m_level(level),
          m_pod(pod),
          m_number(number),
          m_seed(seed)
    {
    }

    // Interfaces by their neighbours; down[i]: host i, edge router i, pod i.
    std::vector<uint32_t> up;
    std::vector<uint32_t> down;

    Ptr<Ipv4Route> RouteOutput(Ptr<Packet>, const Ipv4Header& header, Ptr<NetDevice>, Socket::SocketErrno& error) override
    {
        error = Socket::ERROR_NOTERROR;
        return RouteBy(1, header);
    }

    bool RouteInput(Ptr<const Packet> packet, const Ipv4Header& header, Ptr<const NetDevice> device,
                    UnicastForwardCallback forward, MulticastForwardCallback, LocalDeliverCallback deliver,
                    ErrorCallback) override
    {
        uint32_t interface = m_ipv4->GetInterfaceForDevice(device);
        if (m_ipv4->IsDestinationAddress(header.GetDestination(), interface))
        {
            deliver(packet, header, interface);
            return true;
        }
        forward(RouteBy(Choose(packet, header), header), packet, header);
        return true;
    }

    void NotifyInterfaceUp(uint32_t) override {}
    void NotifyInterfaceDown(uint32_t) override {}
    void NotifyAddAddress(uint32_t, Ipv4InterfaceAddress) override {}
    void NotifyRemoveAddress(uint32_t, Ipv4InterfaceAddress) override {}
    void SetIpv4(Ptr<Ipv4> ipv4) override { m_ipv4 = ipv4; }
    void PrintRoutingTable(Ptr<OutputStreamWrapper>, Time::Unit) const override {}

  private:
    uint32_t Choose(Ptr<const Packet> packet, const Ipv4Header& header)
    {
        uint32_t destination = header.GetDestination().Get();
        uint32_t pod = (destination >> 16) & 255;
        uint32_t edge = (destination >> 8) & 255;
        if (m_level == CORE)
        {
            return down[pod];
        }
        if (pod == m_pod && m_level == AGGREGATION)
        {
            return down[edge];
        }
        if (pod == m_pod && edge == m_number)
        {
            return down[(destination & 255) - 1];
        }
        uint8_t ports[4];
        packet->CopyData(ports, 4);
        uint32_t words[] = {header.GetSource().Get(), destination,
                            uint32_t(ports[0]) << 24 | ports[1] << 16 | ports[2] << 8 | ports[3], m_seed};
        uint32_t hash = 2166136261u;
        for (uint32_t word : words)
        {
            for (int shift = 0; shift < 32; shift += 8)
            {
                hash = (hash ^ ((word >> shift) & 255)) * 16777619u;
            }
        }
        return up[(hash ^ (hash >> 16)) % up.size()];
    }

    Ptr<Ipv4Route> RouteBy(uint32_t interface, const Ipv4Header& header)
    {
        Ptr<Ipv4Route> route = Create<Ipv4Route>();
        route->SetDestination(header.GetDestination());
        route->SetSource(m_ipv4->GetAddress(interface, 0).GetLocal());
        route->SetGateway(header.GetDestination());
        route->SetOutputDevice(m_ipv4->GetNetDevice(interface));
        return route;
    }

    Level m_level;
    uint32_t m_pod;
    uint32_t m_number;
    uint32_t m_seed;
    Ptr<Ipv4> m_ipv4;
};

struct Flow
{
    uint32_t source;
    uint32_t destination;
    uint64_t bytes;
    int64_t startNs;
    uint64_t received{0};
    int64_t fctNs{-1};
};

static std::vector<Flow> flows;
static uint64_t hops = 0;
static uint64_t completed = 0;

static void
Arrived(Ptr<const Packet>)
{
    hops++;
}

static void
Received(uint32_t index, Ptr<const Packet> packet, const Address&)
{
    Flow& flow = flows[index];
    flow.received += packet->GetSize();
    if (flow.fctNs < 0 && flow.received >= flow.bytes)
    {
        flow.fctNs = Simulator::Now().GetNanoSeconds() - flow.startNs;
        if (++completed == flows.size())
        {
            Simulator::Stop();
        }
    }
}

// An address for an interface; no packet is sent to the addresses of interfaces between routers.
static uint32_t
AddInterface(Ptr<Node> node, Ptr<NetDevice> device, Ipv4Address address)
{
    Ptr<Ipv4> ipv4 = node->GetObject<Ipv4>();
    uint32_t interface = ipv4->AddInterface(device);
    ipv4->AddAddress(interface, Ipv4InterfaceAddress(address, Ipv4Mask("255.255.255.255")));
    ipv4->SetUp(interface);
    device->TraceConnectWithoutContext("PhyRxEnd", MakeCallback(&Arrived));
    return interface;
}

int
main(int argc, char* argv[])
{
    uint32_t k = 4;
    std::string file;
    double rate = 10e9;
    int64_t delayNs = 1000;
    uint32_t queuePackets = 500;
    uint32_t mark = 65;
    uint32_t mss = 1440;
    uint32_t initialWindow = 10;
    double minRtoMs = 5;
    double seconds = 100;
    bool fair = true;
    uint32_t hashSeed = 0;
    CommandLine line;
    line.AddValue("k", "ports of a switch", k);
    line.AddValue("flows", "file: SOURCE DESTINATION BYTES START_NS a line", file);
    line.AddValue("rate", "of every link, bits a second", rate);
    line.AddValue("delayNs", "of every link, one way", delayNs);
    line.AddValue("queue", "packets of a port", queuePackets);
    line.AddValue("mark", "packets from which on packets are marked", mark);
    line.AddValue("mss", "bytes of payload", mss);
    line.AddValue("initialWindow", "segments", initialWindow);
    line.AddValue("minRtoMs", "least retransmission timeout", minRtoMs);
    line.AddValue("fair", "hosts serve their flows in turn; otherwise first in, first out", fair);
    line.AddValue("hashSeed", "of the routers' hashes", hashSeed);
    line.AddValue("seconds", "to simulate at most", seconds);
    line.Parse(argc, argv);

    std::ifstream list(file);
    Flow one;
    while (list >> one.source >> one.destination >> one.bytes >> one.startNs)
    {
        flows.push_back(one);
    }
    uint32_t half = k / 2;
    uint32_t hostCount = k * half * half;
    for (const Flow& flow : flows)
    {
        if (flow.source >= hostCount || flow.destination >= hostCount || flow.bytes == 0)
        {
            std::fprintf(stderr, "no such flow: %u to %u\n", flow.source, flow.destination);
            return 1;
        }
    }
    if (flows.empty())
    {
        std::fprintf(stderr, "%s has no flows\n", file.c_str());
        return 1;
    }

    Config::SetDefault("ns3::TcpL4Protocol::SocketType", TypeIdValue(TcpDctcp::GetTypeId()));
    Config::SetDefault("ns3::TcpL4Protocol::RecoveryType", TypeIdValue(TcpPrrRecovery::GetTypeId()));
    Config::SetDefault("ns3::TcpSocketBase::UseEcn", StringValue("On"));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(mss));
    Config::SetDefault("ns3::TcpSocket::InitialCwnd", UintegerValue(initialWindow));
    Config::SetDefault("ns3::TcpSocket::DelAckCount", UintegerValue(2));
    Config::SetDefault("ns3::TcpSocket::DelAckTimeout", TimeValue(MilliSeconds(1)));
    Config::SetDefault("ns3::TcpSocket::ConnTimeout", TimeValue(MilliSeconds(10)));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(1 << 24));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(1 << 24));
    Config::SetDefault("ns3::TcpSocketBase::MinRto", TimeValue(Seconds(minRtoMs / 1000)));
    Config::SetDefault("ns3::TcpSocketBase::ClockGranularity", TimeValue(MicroSeconds(100)));
    Config::SetDefault("ns3::TcpSocketBase::Timestamp", BooleanValue(false));

    NodeContainer hosts;
    hosts.Create(hostCount);
    NodeContainer edges;
    edges.Create(k * half);
    NodeContainer aggregations;
    aggregations.Create(k * half);
    NodeContainer cores;
    cores.Create(half * half);

    InternetStackHelper internet;
    internet.SetIpv6StackInstall(false);
    internet.InstallAll();
    std::vector<Ptr<FatTreeRouting>> routing;
    auto route = [&](Ptr<Node> node, FatTreeRouting::Level level, uint32_t pod, uint32_t number) {
        Ptr<FatTreeRouting> own = Create<FatTreeRouting>(level, pod, number, node->GetId() ^ hashSeed << 16);
        node->GetObject<Ipv4>()->SetRoutingProtocol(own);
        routing.push_back(own);
    };
    for (uint32_t i = 0; i < hostCount; i++)
    {
        route(hosts.Get(i), FatTreeRouting::HOST, i / (half * half), i);
    }
    for (uint32_t i = 0; i < k * half; i++)
    {
        route(edges.Get(i), FatTreeRouting::EDGE, i / half, i % half);
    }
    for (uint32_t i = 0; i < k * half; i++)
    {
        route(aggregations.Get(i), FatTreeRouting::AGGREGATION, i / half, i % half);
    }
    for (uint32_t i = 0; i < half * half; i++)
    {
        route(cores.Get(i), FatTreeRouting::CORE, 0, i);
    }
    auto edgeRouting = [&](uint32_t i) { return routing[hostCount + i]; };
    auto aggregationRouting = [&](uint32_t i) { return routing[hostCount + k * half + i]; };
    auto coreRouting = [&](uint32_t i) { return routing[hostCount + 2 * k * half + i]; };

    PointToPointHelper link;
    link.SetDeviceAttribute("DataRate", DataRateValue(DataRate(static_cast<uint64_t>(rate))));
    link.SetChannelAttribute("Delay", TimeValue(NanoSeconds(delayNs)));
    // A device holds one packet; all others wait in the queue disc, where packets are marked.
    link.SetQueue("ns3::DropTailQueue<Packet>", "MaxSize", QueueSizeValue(QueueSize("1p")));
    // RED as a threshold: both bounds are K, and the present length is used instead of an average.
    TrafficControlHelper red;
    red.SetRootQueueDisc("ns3::RedQueueDisc",
                         "MaxSize", QueueSizeValue(QueueSize(QueueSizeUnit::PACKETS, queuePackets)),
                         "MinTh", DoubleValue(mark), "MaxTh", DoubleValue(mark), "QW", DoubleValue(1),
                         "LInterm", DoubleValue(1), "Gentle", BooleanValue(false),
                         "UseEcn", BooleanValue(true), "UseHardDrop", BooleanValue(false),
                         "MeanPktSize", UintegerValue(mss + 60),
                         "LinkBandwidth", DataRateValue(DataRate(static_cast<uint64_t>(rate))),
                         "LinkDelay", TimeValue(NanoSeconds(delayNs)));
    TrafficControlHelper fifo;
    fifo.SetRootQueueDisc("ns3::FifoQueueDisc", "MaxSize", QueueSizeValue(QueueSize("100000p")));
    // A queue for each flow, without marks and drops: CoDel's target is longer than any waiting time.
    TrafficControlHelper turns;
    turns.SetRootQueueDisc("ns3::FqCoDelQueueDisc", "MaxSize", QueueSizeValue(QueueSize("100000p")), "Flows",
                           UintegerValue(1024), "Interval", StringValue("100s"), "Target", StringValue("100s"),
                           "UseEcn", BooleanValue(false), "DropBatchSize", UintegerValue(1));
    Ipv4Address unused("192.0.2.1");
    auto connect = [&](Ptr<Node> lower, Ipv4Address lowerAddress, Ptr<Node> upper) {
        NetDeviceContainer devices = link.Install(lower, upper);
        uint32_t up = AddInterface(lower, devices.Get(0), lowerAddress);
        uint32_t down = AddInterface(upper, devices.Get(1), unused);
        // Hosts do not mark or drop packets in their own queues.
        (lower->GetId() >= hostCount ? red : fair ? turns : fifo).Install(devices.Get(0));
        red.Install(devices.Get(1));
        return std::make_pair(up, down);
    };
    auto addressOf = [half](uint32_t host) {
        uint32_t pod = host / (half * half);
        uint32_t edge = host / half % half;
        return Ipv4Address(10u << 24 | pod << 16 | edge << 8 | (host % half + 1));
    };
    for (uint32_t i = 0; i < hostCount; i++)
    {
        auto [up, down] = connect(hosts.Get(i), addressOf(i), edges.Get(i / half));
        (void)up;
        edgeRouting(i / half)->down.push_back(down);
    }
    for (uint32_t pod = 0; pod < k; pod++)
    {
        for (uint32_t edge = 0; edge < half; edge++)
        {
            for (uint32_t aggregation = 0; aggregation < half; aggregation++)
            {
                uint32_t a = pod * half + aggregation;
                auto [up, down] = connect(edges.Get(pod * half + edge), unused, aggregations.Get(a));
                edgeRouting(pod * half + edge)->up.push_back(up);
                aggregationRouting(a)->down.push_back(down);
            }
        }
    }
    for (uint32_t pod = 0; pod < k; pod++)
    {
        for (uint32_t aggregation = 0; aggregation < half; aggregation++)
        {
            for (uint32_t i = 0; i < half; i++)
            {
                uint32_t core = aggregation * half + i;
                uint32_t a = pod * half + aggregation;
                auto [up, down] = connect(aggregations.Get(a), unused, cores.Get(core));
                aggregationRouting(a)->up.push_back(up);
                coreRouting(core)->down.push_back(down);
            }
        }
    }

    for (uint32_t i = 0; i < flows.size(); i++)
    {
        uint16_t port = 5201 + i % 60000;
        Time start = NanoSeconds(flows[i].startNs);
        PacketSinkHelper sink("ns3::TcpSocketFactory", InetSocketAddress(Ipv4Address::GetAny(), port));
        ApplicationContainer server = sink.Install(hosts.Get(flows[i].destination));
        server.Start(Seconds(0));
        server.Get(0)->TraceConnectWithoutContext("Rx", MakeBoundCallback(&Received, i));
        BulkSendHelper bulk("ns3::TcpSocketFactory", InetSocketAddress(addressOf(flows[i].destination), port));
        bulk.SetAttribute("MaxBytes", UintegerValue(flows[i].bytes));
        bulk.SetAttribute("SendSize", UintegerValue(mss));
        bulk.Install(hosts.Get(flows[i].source)).Start(start);
    }

    Simulator::Stop(Seconds(seconds));
    std::clock_t began = std::clock();
    Simulator::Run();
    double cpu = double(std::clock() - began) / CLOCKS_PER_SEC;
    std::printf("{\"hops\":%llu,\"events\":%llu,\"cpuSeconds\":%.6f,\"fctNs\":[", static_cast<unsigned long long>(hops),
                static_cast<unsigned long long>(Simulator::GetEventCount()), cpu);
    for (uint32_t i = 0; i < flows.size(); i++)
    {
        std::printf("%s%lld", i == 0 ? "" : ",", static_cast<long long>(flows[i].fctNs));
    }
    std::printf("]}\n");
    Simulator::Destroy();
    return 0;
}
